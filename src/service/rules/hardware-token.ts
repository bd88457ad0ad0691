import type { FactorChangeKind } from '../../contract/device.ts'
import type { HardwareToken } from '../../contract/hardware.ts'

/** What a token is called that was given no name. */
export const defaultAlias = (id: string): string => `HW-${id.slice(0, 8)}`

/** What an authenticator app is called that was given no name. */
export const appAlias = 'Authenticator app'

/** What tells an authenticator app from others, where a little machine has its serial number. */
export const appSerialNumber = (id: string): string => `APP-${id.slice(0, 16)}`

export const digitsOf = (type: HardwareToken['type']): 6 | 8 => (type === 'TOTP6' ? 6 : 8)

/** What users lose with a token. */
export function removalKind(token: { readonly selfEnrolled: 0 | 1 } | undefined): FactorChangeKind {
  return token?.selfEnrolled === 1 ? 'app_removed' : 'hardware_removed'
}

import type { FactorChangeKind } from '../../contract/device.ts'
import type { HardwareToken } from '../../contract/hardware.ts'
import type { HardwareTokenRow } from '../store/hardware.ts'

/** What a token is called that was given no name. */
export const defaultAlias = (id: string): string => `HW-${id.slice(0, 8)}`

/** What an authenticator app is called that was given no name. */
export const appAlias = 'Authenticator app'

/** What tells an authenticator app from others, where a little machine has its serial number. */
export const appSerialNumber = (id: string): string => `APP-${id.slice(0, 16)}`

export const digitsOf = (type: HardwareToken['type']): 6 | 8 => (type === 'TOTP6' ? 6 : 8)

/** What users lose with a token. */
export function removalKind(token: Pick<HardwareTokenRow, 'selfEnrolled'> | undefined): FactorChangeKind {
  return token?.selfEnrolled === 1 ? 'app_removed' : 'hardware_removed'
}

export function hardwareView(token: HardwareTokenRow): HardwareToken {
  return {
    id: token.id,
    alias: token.alias,
    serialNumber: token.serialNumber,
    type: token.digits === 6 ? 'TOTP6' : 'TOTP8',
    timeStep: `${token.period}s`,
    syncState: token.syncState,
    user: token.userId ?? '',
    ...(token.selfEnrolled === 1 && { selfEnrolled: true }),
  }
}

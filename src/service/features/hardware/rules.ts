import type { FactorChangeKind } from '../../../contract/device-answers.ts'

/** The default name of a token. */
export const defaultAlias = (id: string): string => `HW-${id.slice(0, 8)}`

/** The default name of an authenticator app. */
export const appAlias = 'Authenticator app'

/** The serial number of an authenticator app, which has none of its own. Ids of one second share their first 8 characters. */
export const appSerialNumber = (id: string): string => `APP-${id.slice(0, 24)}`

/** The change to report when a token is removed. */
export function removalKind(token: { readonly selfEnrolled: 0 | 1 } | undefined): FactorChangeKind {
  return token?.selfEnrolled === 1 ? 'app_removed' : 'hardware_removed'
}

import type { KeyType } from '../contract/pin.ts'
import type { LockedSecret } from './locked-secret.ts'

/** One activated token, with the key pair that belongs to it alone. */
export interface Account {
  /** The device's id at the service. */
  readonly id: string
  /** The service's id, the audience of every signature. */
  readonly service: string
  /** The service's public address, without `/device`. */
  readonly serviceUrl: string
  readonly organization: { readonly name: string }
  readonly domain: {
    readonly id: string
    readonly name: string
    /** Absent in old accounts, when only `NONE` existed. */
    readonly keyType?: KeyType
  }
  readonly user: { readonly username: string; readonly name?: string | undefined }
  /** The owner's name for it on this device, if there is one. It is never sent. */
  readonly label?: string
  /** ECDSA on P-256. In a browser it cannot be extracted. */
  readonly privateKey: CryptoKey
  /** Generates offline codes, see `currentCode`. Absent in old accounts, which have none. */
  readonly codeSecret?: CryptoKey
  /** Replaces `codeSecret` where the domain requires a PIN or passcode. */
  readonly lockedSecret?: LockedSecret
  /** The service's key for `pushManager.subscribe`; absent where it sends no push messages. */
  readonly pushKey?: string
  /** Seconds to add to this device's clock to get the time of the service. Calls update it. */
  clockOffset: number
}

/** The secret that approving and the offline code require, if any. */
export function requiredSecret(account: Pick<Account, 'domain'>): 'PIN' | 'PASSCODE' | undefined {
  const { keyType = 'NONE' } = account.domain
  return keyType === 'NONE' ? undefined : keyType
}

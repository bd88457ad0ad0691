import type { KeyType } from '../contract/pin.ts'
import type { LockedSecret } from './locked-secret.ts'

/** One activated token: what it is for, and the key pair that belongs to it alone. */
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
    /** Absent in accounts from before there was anything but `NONE`. */
    readonly keyType?: KeyType
  }
  readonly user: { readonly username: string }
  /** What its owner calls it here, where that is another name; nobody else knows it. */
  readonly label?: string
  /** ECDSA on P-256. In a browser it cannot be extracted. */
  readonly privateKey: CryptoKey
  /** Makes offline codes: `currentCode`. Absent in accounts from before there were any. */
  readonly codeSecret?: CryptoKey
  /** In its place where the domain has a PIN or passcode. */
  readonly lockedSecret?: LockedSecret
  /** What the service signs push messages with, for `pushManager.subscribe`; absent where it sends none. */
  readonly pushKey?: string
  /** Seconds to add to the own clock to get the service's; the one member that is learnt anew as calls are made. */
  clockOffset: number
}

/** Whether approving, and the offline code, ask for a PIN or passcode; and which. */
export function asksFor(account: Pick<Account, 'domain'>): 'PIN' | 'PASSCODE' | undefined {
  const { keyType = 'NONE' } = account.domain
  return keyType === 'NONE' ? undefined : keyType
}

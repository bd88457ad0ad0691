import { needsPasskey } from '../../../contract/phishing-resistance.ts'
import type { PhishingResistance } from '../../../contract/phishing-resistance.ts'
import { passkeysOfUser } from './possessions.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'

interface FactorOwner {
  readonly policy: PhishingResistance
  readonly userId: string
  /** The relying party of the app; where it is not known, passkeys for any app count. */
  readonly rpId?: string | undefined
}

/** Whether the user can pass by nothing but a passkey. Passkeys are read only where the answer depends on them. */
export async function userNeedsPasskey(db: Queryable, { policy, userId, rpId }: FactorOwner): Promise<boolean> {
  if (policy !== 'prefer') return needsPasskey(policy, false)
  const passkeys = await passkeysOfUser(db, userId)
  return needsPasskey(
    policy,
    passkeys.some((passkey) => passkey.rpId === (rpId ?? passkey.rpId)),
  )
}

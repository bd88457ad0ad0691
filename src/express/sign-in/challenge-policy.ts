import { isPhishingResistant } from '../../contract/factor-descriptions.ts'
import type { Challenge } from '../../challenge/challenge.ts'
import { isPasskeyNeeded } from '../../challenge/passkey-policy.ts'
import type { Membership } from '../../challenge/passkey-policy.ts'
import { narrow, resistanceIn } from '../../challenge/policy.ts'
import type { Policy } from '../../challenge/policy.ts'
import { needsPasskey } from '../../contract/phishing-resistance.ts'
import type { PhishingResistance } from '../../contract/phishing-resistance.ts'
import type { Factor } from '../../contract/factor.ts'
import type { RelyingParty } from '../options/relying-party.ts'
import { relyingPartyOf } from '../request/passkeys.ts'
import type { WebRequest } from '../request/web-request.ts'

/** The policy of a challenge in the current browser, worked out once for each request. The domain may ask for more. */
export interface ChallengePolicy extends Policy {
  /** The value of `phishingResistant` in this browser, which may have shown no key. */
  readonly resistanceHere: PhishingResistance
  /** The relying party of passkeys; undefined where browsers accept none. */
  readonly relyingParty: RelyingParty | undefined
}

type Asked = Pick<Challenge, 'factors' | 'phishingResistant' | 'unknownBrowser' | 'browserProof'>

/** @param challenge Without one, the policy of the app in a browser that has shown no key. */
export function challengePolicy(visit: Pick<WebRequest, 'req' | 'context'>, challenge: Asked = {}): ChallengePolicy {
  const policy = narrow(visit.context.mfa.policy, challenge)
  const resistanceHere = resistanceIn(policy, Boolean(challenge.browserProof))
  return { ...policy, resistanceHere, relyingParty: relyingPartyOf(visit) }
}

/**
 * The factors that pass.
 *
 * @param membership The user, who decides whether anything but a passkey counts. Where nothing is known yet, the service decides.
 */
export function acceptedFactors(policy: ChallengePolicy, membership?: Membership): readonly Factor[] {
  return needsOnlyPasskey(policy, membership) ? policy.factors.filter(isPhishingResistant) : policy.factors
}

/**
 * Whether nothing but a passkey counts for this user, in this app.
 *
 * @param resistance By default that of this browser.
 */
export function needsOnlyPasskey(
  { resistanceHere, relyingParty }: Pick<ChallengePolicy, 'resistanceHere' | 'relyingParty'>,
  membership?: Membership,
  resistance: PhishingResistance = resistanceHere,
): boolean {
  return membership ? isPasskeyNeeded(membership, resistance, relyingParty?.id) : needsPasskey(resistance, false)
}

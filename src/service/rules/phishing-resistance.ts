import { PhishingResistance } from '../../contract/phishing-resistance.ts'
import type { SessionPurpose } from '../../contract/sessions.ts'
import type { Factor } from '../../contract/users.ts'

/**
 * How long a bypass code is valid that an administrator hands over in person, seconds. Only such a code, with a single use,
 * replaces a missing passkey: a code that lies around for longer can be asked for by a phishing page at any time.
 */
export const handedOverFor = 30 * 60

/** The stricter of two policies; null and undefined stand for `off`. */
export function stricter(one: PhishingResistance | null, other: PhishingResistance | undefined): PhishingResistance {
  const [first, second] = [one ?? 'off', other ?? 'off']
  return strictness(first) >= strictness(second) ? first : second
}

/** Whether a user can pass by nothing but a passkey. */
export function needsPasskey(policy: PhishingResistance, hasPasskey: boolean): boolean {
  return policy === 'require' || (policy === 'prefer' && hasPasskey)
}

/** Whether a factor is tried where a passkey is needed: a bypass code leads to a new passkey, and does not sign in. */
export function isTriedForPasskey(factor: Factor, purpose: SessionPurpose): boolean {
  return factor === 'passkey' || (factor === 'bypass' && purpose === 'change_devices')
}

/** An approval, and the policy that it was created under. */
interface Approval {
  readonly factor: Factor | null
  readonly phishingResistant: PhishingResistance | null
}

/** Whether an approval counts under a policy that may be stricter than the one that it was created under. */
export function countsUnder(policy: PhishingResistance, { factor, phishingResistant }: Approval): boolean {
  return factor === 'passkey' || strictness(phishingResistant ?? 'off') >= strictness(policy)
}

const strictness = (policy: PhishingResistance): number => PhishingResistance.options.indexOf(policy)

import { isHandedOver, isPhishingResistant } from '../../../contract/factor-descriptions.ts'
import type { SessionPurpose } from '../../../contract/sessions.ts'
import type { Factor } from '../../../contract/factor.ts'

/**
 * How long a bypass code is valid that an administrator hands over in person, seconds. Only such a code, with a single use,
 * replaces a missing passkey: a code that lies around for longer can be asked for by a phishing page at any time.
 */
export const handedOverFor = 30 * 60

/** Whether a factor is tried where a passkey is needed: a bypass code leads to a new passkey, and does not sign in. */
export function isTriedForPasskey(factor: Factor, purpose: SessionPurpose): boolean {
  return isPhishingResistant(factor) || (isHandedOver(factor) && purpose === 'change_devices')
}

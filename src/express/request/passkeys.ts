import { hostOf } from '../framework/host.ts'
import type { RelyingParty } from '../options/relying-party.ts'
import type { WebRequest } from './web-request.ts'

type Visit = Pick<WebRequest, 'req' | 'context'>

/** The relying party of this app; undefined where browsers accept no passkeys. */
export function relyingPartyOf({ req, context }: Visit): RelyingParty | undefined {
  const scheme = 'encrypted' in req.socket ? 'https' : 'http'
  return context.mfa.options.passkeys.relyingPartyOf(`${scheme}://${hostOf(req) ?? ''}`)
}

/**
 * Whether a user can add passkeys for this app.
 * @param user As the service knows the user: without `passkeys` it verifies none.
 */
export function canAddPasskeys(
  visit: Visit,
  { passkeys }: { readonly passkeys?: readonly unknown[] | undefined },
): boolean {
  return passkeys !== undefined && mayHavePasskeys(visit)
}

/** Whether this app accepts passkeys, and browsers accept them here. */
export const mayHavePasskeys = (visit: Visit): boolean =>
  visit.context.mfa.options.factors.includes('passkey') && relyingPartyOf(visit) !== undefined

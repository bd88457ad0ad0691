import type { ConnectedService } from '../../challenge/service.ts'
import type { RelyingParty } from '../relying-party.ts'
import type { WebRequest } from './web-request.ts'

type Visit = Pick<WebRequest, 'req' | 'context'>

/** The relying party of this app; undefined where browsers accept no passkeys. */
export function relyingPartyOf({ req, context }: Visit): RelyingParty | undefined {
  return context.mfa.options.passkeys.relyingPartyOf(req)
}

/** Whether users can add passkeys for this app. */
export function canAddPasskeys(visit: Visit, { hasPasskeys }: ConnectedService): boolean {
  return hasPasskeys && visit.context.mfa.options.factors.includes('passkey') && relyingPartyOf(visit) !== undefined
}

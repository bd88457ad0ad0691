import type { HttpRequest } from './framework/http-request.ts'
import type { FrameworkRequest } from './framework/request.ts'
import type { Verified } from '../challenge/challenge.ts'
import { userKeyOf } from '../challenge/user.ts'
import type { MfaUser } from '../challenge/user.ts'
import { resolveAppUser } from './request/app-user.ts'
import type { RequestContext } from './request/context.ts'
import { contextOf } from './request/context.ts'
import type { Need } from './request/need.ts'
import { narrowTo, readNeed } from './request/need.ts'
import { challengeAddress } from './request/requested-challenge.ts'
import { verifiedOf } from './request/verified.ts'
import { readMfaState } from './session/session-state.ts'

const messages = {
  MFA_REQUIRED:
    'verifiedMfa(): the second step was not passed; put requireMfa() before this handler, or have the user pass it',
  SIGN_IN_REQUIRED: 'verifiedMfa(): no user is signed in',
} as const

/** What `verifiedMfa()` throws. GraphQL passes `extensions` on to the caller, whose page opens `challenge`. */
export class MfaRequiredError extends Error {
  override readonly name = 'MfaRequiredError'
  readonly extensions: {
    /** `SIGN_IN_REQUIRED` where no user is signed in, who could not pass the challenge. */
    readonly code: 'MFA_REQUIRED' | 'SIGN_IN_REQUIRED'
    /** The address to open, as in an answer with 403; undefined without a signed-in user, and without mfa(). */
    readonly challenge: string | undefined
  }

  constructor(challenge: string | undefined, code: 'MFA_REQUIRED' | 'SIGN_IN_REQUIRED' = 'MFA_REQUIRED') {
    super(messages[code])
    this.extensions = { code, challenge }
  }
}

/**
 * What was verified, for handlers that must not run otherwise, and for the fields of an API with one address, such as GraphQL.
 *
 * @param options What is required beyond the options of `mfa()`, as for `requireMfa()`; an action cannot be named.
 * @returns when and how the second step was passed.
 * @throws {MfaRequiredError} when it was not, or the route lacks mfa(), or the request has signed another user in; {TypeError} on unknown
 * options; {RangeError} when maxAge is over 43,200 s.
 *
 * @example
 * const resolvers = { accounts: (_args, { req }) => verifiedMfa(req) && accounts, pay: (_args, { req }) => verifiedMfa(req, { maxAge: 300 }) }
 */
export function verifiedMfa(req: HttpRequest, options: Omit<Need, 'purpose'> = {}): Verified {
  const need = readNeed('verifiedMfa', options)
  const context = contextOf(req)
  if (!context) throw new MfaRequiredError(undefined)
  const state = readMfaState(req)
  const verified = verifiedOf(state, context, narrowTo(need)(context.mfa.policy))
  const current = currentUser(req, context)
  if (verified && isSameUser(current, context)) return verified
  if (!current || (current === 'unknown' && !context.user)) throw new MfaRequiredError(undefined, 'SIGN_IN_REQUIRED')
  const purpose = verifiedOf(state, context) ? 'step_up' : 'sign_in'
  throw new MfaRequiredError(challengeAddress(context, { ...need, purpose }))
}

type CurrentUser = MfaUser | undefined | 'unknown'

/** The user at this moment, after a login within this request; unknown where the app has to look its user up. */
function currentUser(req: HttpRequest, { mfa, user }: RequestContext): CurrentUser {
  const current = resolveAppUser(req as FrameworkRequest, mfa.options, user)
  if (!(current instanceof Promise)) return current
  // Nothing here waits for it, and a rejection that nobody handles ends the process.
  current.catch(() => {})
  return 'unknown'
}

/** A login within this request may have left the web session as it was. Where the user is unknown, the session decides. */
function isSameUser(current: CurrentUser, { userKey }: RequestContext): boolean {
  return current === 'unknown' || (current && userKeyOf(current)) === userKey
}

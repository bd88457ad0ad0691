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
import { readMfaState } from './session/web-session.ts'

/** What `verifiedMfa()` throws. GraphQL passes `extensions` on to the caller, whose page opens `challenge`. */
export class MfaRequiredError extends Error {
  override readonly name = 'MfaRequiredError'
  readonly extensions: {
    readonly code: 'MFA_REQUIRED'
    /** The address to open, as in an answer with 403; undefined without mfa(). */
    readonly challenge: string | undefined
  }

  constructor(challenge: string | undefined) {
    super(
      'verifiedMfa(): the second step was not passed; put requireMfa() before this handler, or have the user pass it',
    )
    this.extensions = { code: 'MFA_REQUIRED', challenge }
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
  if (verified && isSameUser(req, context)) return verified
  const purpose = verifiedOf(state, context) ? 'step_up' : 'sign_in'
  throw new MfaRequiredError(challengeAddress(context, { ...need, purpose }))
}

/** A login within this request may have left the web session as it was. Where the app has to look its user up, the session decides. */
function isSameUser(req: HttpRequest, { mfa, user, userKey }: RequestContext): boolean {
  const current = resolveAppUser(req as FrameworkRequest, mfa.options, user)
  return current instanceof Promise || keyOf(current) === userKey
}

const keyOf = (user: MfaUser | undefined): string | undefined => user && userKeyOf(user)

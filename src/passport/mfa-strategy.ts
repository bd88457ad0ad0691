import type { Request } from 'express'
import { Strategy } from 'passport-strategy'

import type { Verified } from '../challenge/challenge.ts'
import type { MfaUser } from '../challenge/user.ts'
import { userKeyOf } from '../challenge/user.ts'
import { resolveAppUser } from '../express/request/app-user.ts'
import type { RequestContext } from '../express/request/context.ts'
import { contextOf, verifiedOf } from '../express/request/context.ts'
import { openChallenge } from '../express/sign-in/demand.ts'
import { isNavigation } from '../express/request/navigation.ts'
import { requestedPath, safeReturnTo } from '../express/request/return-to.ts'
import { markRenewedLogin } from '../express/request/second-step-logins.ts'
import { carryOver } from './carry-over.ts'
import type { MfaStrategyOptions } from './options.ts'
import { resolveStrategyOptions } from './options.ts'
import type { MfaFailure } from './posted-code.ts'
import { postedCode, problem, tryPostedCode } from './posted-code.ts'

/** The options of passport.authenticate() that matter here. */
interface AuthenticateOptions {
  readonly session?: boolean
  readonly successRedirect?: string
  readonly successReturnToOrRedirect?: string
  readonly failureRedirect?: string
}

/**
 * `passport.authenticate('mfa')`, after another strategy has signed somebody in. A posted code is checked at once; without
 * one the person is sent to the challenge. Succeeds once the second step is passed, with `req.authInfo.mfa` saying when
 * and how; fails with an {@link MfaFailure} as `info`.
 *
 * It stands on `app.use(mfa())`, which serves the challenge; without it every request is an error that says so.
 *
 * @throws {TypeError} on unknown options.
 *
 * @example
 * app.use(mfa({ public: ['/login', '/second-step'] }))
 * passport.use(new MfaStrategy())
 * app.post('/login', passport.authenticate('local'), passport.authenticate('mfa', { successRedirect: '/' }))
 * app.post('/second-step', express.urlencoded(), passport.authenticate('mfa', { failureRedirect: '/second-step' }))
 */
export class MfaStrategy extends Strategy {
  readonly name = 'mfa'
  private readonly codeField: string | false

  constructor(options: MfaStrategyOptions = {}) {
    super()
    this.codeField = resolveStrategyOptions(options).codeField
  }

  override authenticate(req: Request, options: AuthenticateOptions = {}): void {
    this.decide(req, options).catch((error: unknown) => this.error(error as Error))
  }

  private async decide(req: Request, options: AuthenticateOptions): Promise<void> {
    const context = contextOf(req)
    if (!context) throw new Error("passport.authenticate('mfa') needs app.use(mfa()) before it")
    const user = await resolveAppUser(req, context.mfa.options)
    if (!user || !req.user) return this.refuse(problem(req, context, 'sign_in_first'), 401)
    const attempt = { req, options, context, user }
    const verified = verifiedOf(req, context, user)
    if (!verified && !(await isNeeded(attempt))) return this.succeed(attempt, undefined)
    const code = postedCode(req, this.codeField)
    if (code) return this.check(attempt, code)
    return verified ? this.succeed(attempt, verified) : this.lead(attempt)
  }

  private async check(attempt: Attempt, code: { readonly typed: unknown }): Promise<void> {
    const { req, options, context, user } = attempt
    const outcome = await tryPostedCode(req, context, user, code)
    if (!outcome.failure) return this.succeed(attempt, outcome.verified)
    // On a redirect it would say how long to wait before following it (RFC 9110 section 10.2.3).
    if (outcome.retryAfter !== undefined && options.failureRedirect === undefined) {
      req.res?.setHeader('Retry-After', String(outcome.retryAfter))
    }
    return this.refuse(outcome.failure, outcome.status)
  }

  private async lead({ req, options, context, user }: Attempt): Promise<void> {
    if (!isNavigation(req)) return this.refuse({ reason: 'required', message: 'Pass the second step first.' }, 403)
    await openChallenge(req, context, {
      userKey: userKeyOf(user),
      purpose: 'sign_in',
      ...destinations(req, context, options),
    })
    this.redirect(context.base, 303)
  }

  private succeed({ req, options, context, user }: Attempt, verified: Verified | undefined): void {
    markRenewedLogin(req, req.user)
    if (options.session !== false) carryOver(req, context, user)
    this.success(req.user, verified ? { mfa: { at: verified.at, factor: verified.factor } } : {})
  }

  private refuse(failure: MfaFailure, status: number): void {
    this.fail(failure, status)
  }
}

/** One call of passport.authenticate('mfa'). */
interface Attempt {
  readonly req: Request
  readonly options: AuthenticateOptions
  readonly context: RequestContext
  readonly user: MfaUser
}

async function isNeeded({ req, context: { mfa }, user }: Attempt): Promise<boolean> {
  return mfa.options.required === undefined || (await mfa.options.required(req, user))
}

/** A page is come back to, so that Passport's success runs there; a posted login cannot be posted again. */
function destinations(req: Request, context: RequestContext, options: AuthenticateOptions) {
  const { base } = context
  const after =
    req.method === 'GET'
      ? requestedPath(req, context)
      : (safeReturnTo(options.successRedirect, base) ?? safeReturnTo(options.successReturnToOrRedirect, base))
  return { returnTo: after ?? `${context.prefix}/`, giveUpTo: safeReturnTo(options.failureRedirect, base) }
}

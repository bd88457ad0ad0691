import type { Request } from 'express'
import { Strategy } from 'passport-strategy'

import { asCaller, asRequest } from '../challenge/service-calls.ts'
import type { Verified } from '../challenge/challenge.ts'
import { userKeyOf } from '../challenge/user.ts'
import { apply, isLeftToOther, settle } from '../express/apply.ts'
import { responseOf } from '../express/framework/express-response.ts'
import type { FrameworkRequest } from '../express/framework/request.ts'
import { resolveAppUser } from '../express/request/app-user.ts'
import type { RequestContext } from '../express/request/context.ts'
import { contextOf } from '../express/request/context.ts'
import { passesInEmergency } from '../express/request/emergency.ts'
import { isHtmx, isNavigation, isTurbo } from '../express/request/navigation.ts'
import { passportUser } from '../express/request/app-user.ts'
import { markRenewedLogin } from '../express/request/second-step-logins.ts'
import { requestedPath, safeReturnTo } from '../express/request/return-to.ts'
import { requirementOf } from '../express/request/required.ts'
import { troubleError } from '../express/trouble-error.ts'
import { verifiedOf } from '../express/request/verified.ts'
import type { WebRequest } from '../express/request/web-request.ts'
import { createWebRequest } from '../express/request/web-request.ts'
import { refuse } from '../express/sign-in/demand.ts'
import { openChallenge } from '../express/sign-in/open-challenge.ts'
import { carryOver } from './carry-over.ts'
import type { MfaStrategyOptions } from './options.ts'
import { resolveStrategyOptions } from './options.ts'
import type { PassportAnswer, PassportOutcome } from './posted-code.ts'
import { fail, postedCode, problem, tryPostedCode } from './posted-code.ts'

/** The options of passport.authenticate() that matter here. */
interface AuthenticateOptions {
  readonly session?: boolean
  readonly successRedirect?: string
  readonly successReturnToOrRedirect?: string
  readonly failureRedirect?: string
}

/** As Passport takes it. Its types name no type of passport-strategy, which apps would have to install. */
export interface MfaStrategy {
  readonly name: 'mfa'
  authenticate(req: Request, options?: AuthenticateOptions): void
}

class StrategyOfMfa extends Strategy implements MfaStrategy {
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
    if (!user || !passportUser(req)) return this.fail(problem(req, context, 'sign_in_first'), 401)
    // The login may be part of this very request: mfa() ran before it.
    const request = createWebRequest(req, { ...context, user, userKey: userKeyOf(user) }, user)
    const answer = await settled(request, () => decide(request, options, this.codeField))
    if (answer.kind === 'success') return this.succeed({ request, options, context }, answer)
    if (answer.kind === 'redirect') return this.redirect(answer.location, 303)
    // On a redirect it would say how long to wait before following it (RFC 9110 section 10.2.3).
    if (answer.retryAfter !== undefined && options.failureRedirect === undefined) {
      req.res?.setHeader('Retry-After', String(answer.retryAfter))
    }
    // Both show what they get in the page, and would show what failureRedirect leads to.
    if (answer === required && (isHtmx(req) || isTurbo(req))) {
      const { returnTo } = destinations(req, context, options)
      return apply(request, responseOf(req), refuse(request, { purpose: 'sign_in', returnTo }))
    }
    this.fail(answer.failure, answer.status)
  }

  private succeed({ request, options, context }: Attempt, { verified }: { readonly verified: Verified | undefined }) {
    const { req, user } = request
    const appUser = passportUser(req)
    markRenewedLogin(req, appUser)
    // Before success(), which has Passport give the web session another new id.
    if (options.session !== false) carryOver(req, context, user)
    this.success(appUser, verified ? { mfa: { at: verified.at, factor: verified.factor } } : {})
  }
}

/**
 * `passport.authenticate('mfa')`, after another strategy has signed a user in. A posted code is checked at once; without
 * one the user is sent to the challenge. Succeeds once the second step is passed, with `req.authInfo.mfa` saying when
 * and how; fails with an {@link MfaFailure} as `info`.
 *
 * It requires `app.use(mfa())`, which serves the challenge; without that every request fails with an error.
 *
 * @throws {TypeError} on unknown options.
 *
 * @example
 * app.use(mfa({ public: ['/login', '/second-step'] }))
 * passport.use(new MfaStrategy())
 * app.post('/login', passport.authenticate('local'), passport.authenticate('mfa', { successRedirect: '/' }))
 * app.post('/second-step', express.urlencoded(), passport.authenticate('mfa', { failureRedirect: '/second-step' }))
 */
export const MfaStrategy: new (options?: MfaStrategyOptions) => MfaStrategy = StrategyOfMfa

/** One call of passport.authenticate('mfa'). */
interface Attempt {
  readonly request: WebRequest
  readonly options: AuthenticateOptions
  readonly context: RequestContext
}

async function decide(
  request: WebRequest,
  options: AuthenticateOptions,
  codeField: string | false,
): Promise<PassportOutcome> {
  const { req, context, state } = request
  const verified = verifiedOf(state, context)
  if (!verified && !(await isNeeded(request))) return { state: 'as-is', answer: { kind: 'success', verified } }
  const code = postedCode(req, codeField)
  if (code) return tryPostedCode(request, code.typed)
  return verified ? { state: 'as-is', answer: { kind: 'success', verified } } : lead(request, options)
}

async function isNeeded(request: WebRequest): Promise<boolean> {
  return (await requirementOf(request, request.user)) === 'here' && !passesInEmergency(request)
}

const required = fail({ reason: 'required', message: 'Pass the second step first.' }, 403)

/** Sends pages to the challenge. */
function lead(request: WebRequest, options: AuthenticateOptions): PassportOutcome {
  const { req, context, user } = request
  if (!isNavigation(req)) return { state: 'as-is', answer: required }
  const newChallenge = { userKey: userKeyOf(user), purpose: 'sign_in', ...destinations(req, context, options) } as const
  return { ...openChallenge(request, newChallenge).effects, answer: { kind: 'redirect', location: context.base } }
}

/** A requested page is where the user returns, so that Passport's success runs there; a posted login cannot be posted again. */
function destinations(req: FrameworkRequest, context: RequestContext, options: AuthenticateOptions) {
  const { base } = context
  const after =
    req.method === 'GET'
      ? requestedPath(req, context)
      : (safeReturnTo(options.successRedirect, base) ?? safeReturnTo(options.successReturnToOrRedirect, base))
  return { returnTo: after ?? `${context.prefix}/`, giveUpTo: safeReturnTo(options.failureRedirect, base) }
}

/**
 * Applies all effects of an outcome.
 *
 * @throws {Error} with status 503, when the service gives no answer, or the web session is not stored.
 */
async function settled(request: WebRequest, handler: () => Promise<PassportOutcome>): Promise<PassportAnswer> {
  const { req, context, user } = request
  const res = responseOf(req)
  try {
    return await asRequest(context.requestId, () =>
      asCaller(userKeyOf(user), () => settle<PassportAnswer>(request, res, handler)),
    )
  } catch (error) {
    if (await isLeftToOther(req, error)) return toPage(request)
    throw await troubleError({ req, res, context }, error)
  }
}

/** Leads to the page, which shows what another request has made of the web session. */
function toPage({ req, context }: WebRequest): PassportAnswer {
  return isNavigation(req) ? { kind: 'redirect', location: context.base } : required
}

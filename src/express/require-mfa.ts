import { z } from 'zod'

import type { Policy } from '../challenge/policy.ts'
import type { MfaUser } from '../challenge/user.ts'
import { userKeyOf } from '../challenge/user.ts'
import { parseOptions } from '../contract/validate.ts'
import { apply, serve } from './apply.ts'
import { AcrValues, createBearerGuard } from './bearer-guard.ts'
import { responseOf } from './framework/express-response.ts'
import { toRouteGuard } from './framework/guard.ts'
import type { Guard, RouteGuard } from './framework/guard.ts'
import type { FrameworkRequest } from './framework/request.ts'
import type { BearerOptions } from './options/bearer-options.ts'
import { BearerSchema } from './options/bearer-options.ts'
import { whenKnown } from './request/at-once.ts'
import { resolveAppUser } from './request/app-user.ts'
import type { Next, RequestContext } from './request/context.ts'
import { contextOf } from './request/context.ts'
import type { Need } from './request/need.ts'
import { narrowTo, NeedSchema, readNeed } from './request/need.ts'
import type { Outcome } from './request/outcome.ts'
import { json } from './request/outcome.ts'
import type { GuardDecision } from './request/trace.ts'
import { passesInEmergency } from './request/emergency.ts'
import { requirementOf } from './request/required.ts'
import { findVerified } from './request/verified.ts'
import { createWebRequest } from './request/web-request.ts'
import type { MfaState } from './session/mfa-state.ts'
import { readMfaState } from './session/session-state.ts'
import { refuse, stepUp } from './sign-in/demand.ts'

/** What a route requires: of the web session, or with `bearer` of an access token. */
export interface RequireMfaOptions extends Need {
  /**
   * Accepts the OAuth access tokens of an issuer, and nothing else: the web session, `required` and an emergency do not count on this route, and
   * `mfa()` need not run before it. Needs `acr`. `maxAge` is then compared with `auth_time`.
   * @default the web session decides
   */
  readonly bearer?: BearerOptions | undefined
  /**
   * The classes (`acr`) in which users must have authenticated for their token, the preferred one first; one of them suffices. `'any'` is for issuers
   * that ask everybody for a second factor, and for handlers that decide by `verifiedBearer()`.
   * @default required with `bearer`
   */
  readonly acr?: readonly string[] | 'any' | undefined
}

/** Checks {@link RequireMfaOptions}. */
export const RequireMfaSchema = NeedSchema.extend({
  bearer: BearerSchema.optional(),
  acr: z.union([z.literal('any'), AcrValues]).optional(),
})

/**
 * Guards one route: only users pass who are verified, within `maxAge` seconds (a step-up) and by one of `factors` where
 * these are given. With `bearer`, access tokens pass, and others get the challenge of RFC 9470.
 *
 * @throws {TypeError} on unknown options; {RangeError} when maxAge is over 43,200 s; {SetupError} when `bearer` reads keys over plain http.
 *
 * @example
 * app.post('/transfer', requireMfa({ maxAge: 300 }), transfer)
 * app.post('/api/transfer', requireMfa({ bearer: { issuer, audience }, acr: ['phr'], maxAge: 300 }), transfer)
 */
export function requireMfa(options: RequireMfaOptions = {}): RouteGuard {
  return toRouteGuard(createRouteGuard(options, 'app.use(mfa())'))
}

/** @param before What has to come before the route, as code of the framework. */
export function createRouteGuard(options: RequireMfaOptions, before: string): Guard {
  const { bearer, acr, ...need } = parseOptions(RequireMfaSchema, 'requireMfa', options)
  if (bearer && options.bearer) {
    return createBearerGuard('requireMfa', { bearer, acr, need: readNeed('requireMfa', need), written: options.bearer })
  }
  if (acr !== undefined) {
    throw new TypeError('requireMfa: acr is about access tokens: write bearer: { issuer, audience } beside it')
  }
  return createGuard(need, before)
}

/**
 * @param before What has to come before the route, as code of the framework.
 * @param caller The function that takes the options.
 */
export function createGuard(options: Need, before: string, caller = 'requireMfa'): Guard {
  const need = readNeed(caller, options)
  const route: Route = { need, policyFor: narrowTo(need), before, caller }
  return (req, next) => {
    // Express 4 passes no rejection on.
    guard(req, next, route)?.catch(next)
  }
}

interface Route {
  readonly need: Need
  /** The policy of the route, in an app with this policy. */
  readonly policyFor: (app: Policy) => Policy
  readonly before: string
  readonly caller: string
}

function guard(req: FrameworkRequest, next: Next, route: Route): void | Promise<void> {
  const context = contextOf(req)
  if (!context) throw new Error(`${route.caller}() needs ${route.before} before it`)
  return whenKnown(resolveAppUser(req, context.mfa.options, context.user), (user) =>
    guardUser({ context, user, route }, req, next),
  )
}

interface Guarded {
  readonly context: RequestContext
  readonly user: MfaUser | undefined
  readonly route: Route
}

function guardUser({ context, user, route }: Guarded, req: FrameworkRequest, next: Next): void | Promise<void> {
  const decision = decide(readMfaState(req), context, user, route)
  const handling = { req, next }
  const guarded = { context, user, route }
  if (!user || decision === 'later_user' || decision === 'passed') return act(guarded, handling, decision)
  const unless = () => (passesInEmergency({ req, context }) ? 'emergency' : decision)
  if (context.mfa.options.required === undefined) return act(guarded, handling, unless())
  return requirementOf({ req, context }, user).then((requirement) =>
    act(guarded, handling, requirement === 'never' ? 'not_required' : unless()),
  )
}

const passes: ReadonlySet<GuardDecision> = new Set(['passed', 'emergency', 'not_required'])

interface Handling {
  readonly req: FrameworkRequest
  readonly next: Next
}

function act(
  { context, user, route: { need } }: Guarded,
  { req, next }: Handling,
  decision: GuardDecision,
): void | Promise<void> {
  const state = readMfaState(req)
  context.trace?.note({ kind: 'guard', decision, need })
  if (passes.has(decision)) return next()
  const res = responseOf(req)
  if (!user) return apply({ req, context, state }, res, signInFirst)
  const request = createWebRequest(req, context, user)
  return serve(request, res, next, () => (decision === 'later_user' ? refuse(request) : stepUp(request, need)))
}

function decide(state: MfaState, context: RequestContext, user: MfaUser | undefined, route: Route): GuardDecision {
  if (!user) return 'nobody'
  if (isLaterUser(context, user)) return 'later_user'
  const verdict = findVerified(state, context, route.policyFor(context.mfa.policy))
  return typeof verdict === 'string' ? verdict : 'passed'
}

/** Set after mfa() ran, as `session: false` strategies do: no web session belongs to this user that could be verified. */
function isLaterUser(context: RequestContext, user: MfaUser): boolean {
  return context.user === undefined || userKeyOf(context.user) !== userKeyOf(user)
}

const signInFirst: Outcome = {
  state: 'as-is',
  answer: json(401, { error: 'sign_in_required', message: 'Sign in first.' }),
}

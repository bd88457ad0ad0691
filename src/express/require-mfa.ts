import type { NextFunction, Request, RequestHandler, Response } from 'express'

import type { MfaUser } from '../challenge/user.ts'
import { userKeyOf } from '../challenge/user.ts'
import { resolveAppUser } from './request/app-user.ts'
import { sendJson } from './request/answer.ts'
import type { RequestContext } from './request/context.ts'
import { contextOf, findVerified, verifiedOf } from './request/context.ts'
import type { GuardDecision } from './debug/explain.ts'
import { demand, refuse } from './sign-in/demand.ts'
import type { Need } from './request/need.ts'
import { readNeed } from './request/need.ts'

export type RequireMfaOptions = Need

/**
 * Guards one route: lets through only who passed the second step, within `maxAge` seconds (a step-up) and with one of
 * `factors` where these are given.
 *
 * @throws {TypeError} on unknown options; {RangeError} when maxAge is over 43,200 s.
 *
 * @example
 * app.post('/transfer', requireMfa({ maxAge: 300 }), transfer)
 */
export function requireMfa(options: RequireMfaOptions = {}): RequestHandler {
  const need = readNeed('requireMfa', options)
  return (req, res, next) => {
    guard(req, res, next, need).catch(next)
  }
}

async function guard(req: Request, res: Response, next: NextFunction, need: Need): Promise<void> {
  const context = contextOf(req)
  if (!context) throw new Error('requireMfa() needs app.use(mfa()) before it')
  const user = await resolveAppUser(req, context.mfa.options)
  const decision = decide(req, context, user, need)
  context.trace?.note({ kind: 'guard', decision, need })
  if (decision === 'passed') return next()
  if (!user) return sendJson(res, 401, { error: 'sign_in_required', message: 'Sign in first.' })
  if (decision === 'later_user') return refuse(res, context)
  await stepUp(req, res, context, user, need)
}

function decide(req: Request, context: RequestContext, user: MfaUser | undefined, need: Need): GuardDecision {
  if (!user) return 'nobody'
  if (isLaterUser(context, user)) return 'later_user'
  const found = findVerified(req, context, user, need)
  return typeof found === 'string' ? found : 'passed'
}

/** Asks for the second step, once more where it was passed already. */
export function stepUp(
  req: Request,
  res: Response,
  context: RequestContext,
  user: MfaUser,
  need: Need & { readonly returnTo?: string | undefined },
): Promise<void> {
  const purpose = verifiedOf(req, context, user) ? 'step_up' : 'sign_in'
  return demand(req, res, context, user, { purpose, factors: need.factors, returnTo: need.returnTo })
}

/** Set after mfa() ran, as `session: false` strategies do: no web session stands behind it that could be verified. */
function isLaterUser(context: RequestContext, user: MfaUser): boolean {
  return context.user === undefined || userKeyOf(context.user) !== userKeyOf(user)
}

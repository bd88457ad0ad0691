import type { NextFunction, Request, RequestHandler, Response } from 'express'
import { z } from 'zod'

import { longestVerified } from '../challenge/challenge.ts'
import type { MfaUser } from '../challenge/user.ts'
import { userKeyOf } from '../challenge/user.ts'
import { resolveAppUser } from './app-user.ts'
import { sendJson } from './answer.ts'
import type { RequestContext } from './context.ts'
import { contextOf, verifiedOf } from './context.ts'
import { demand, refuse } from './demand.ts'

const RequireOptions = z.strictObject({
  /** How long ago the second step may have been passed, seconds. */
  maxAge: z.int().min(1).optional(),
})
export type RequireMfaOptions = z.input<typeof RequireOptions>

/**
 * Guards one route: lets through only who passed the second step, within `maxAge` seconds where given (a step-up).
 *
 * @throws {TypeError} on unknown options; {RangeError} when maxAge is over 43,200 s.
 *
 * @example
 * app.post('/transfer', requireMfa({ maxAge: 300 }), transfer)
 */
export function requireMfa(options: RequireMfaOptions = {}): RequestHandler {
  const parsed = RequireOptions.safeParse(options)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw new TypeError(`requireMfa: ${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`)
  }
  const { maxAge } = parsed.data
  if (maxAge !== undefined && maxAge > longestVerified) {
    throw new RangeError(
      `requireMfa: maxAge is in seconds, at most ${longestVerified}; was ${maxAge} meant as milliseconds?`,
    )
  }
  return (req, res, next) => {
    guard(req, res, next, maxAge).catch(next)
  }
}

async function guard(req: Request, res: Response, next: NextFunction, maxAge: number | undefined): Promise<void> {
  const context = contextOf(req)
  if (!context) throw new Error('requireMfa() needs app.use(mfa()) before it')
  const user = await resolveAppUser(req, context.mfa.options)
  if (!user) return sendJson(res, 401, { error: 'sign_in_required', message: 'Sign in first.' })
  if (isLaterUser(context, user)) return refuse(res, context)
  if (verifiedOf(req, context, user, maxAge)) return next()
  const purpose = verifiedOf(req, context, user) ? 'step_up' : 'sign_in'
  await demand(req, res, context, user, { purpose })
}

/** Set after mfa() ran, as `session: false` strategies do: no web session stands behind it that could be verified. */
function isLaterUser(context: RequestContext, user: MfaUser): boolean {
  return context.user === undefined || userKeyOf(context.user) !== userKeyOf(user)
}

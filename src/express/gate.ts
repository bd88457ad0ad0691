import type { ServerResponse } from 'node:http'

import { isBeforeEnd } from '../clock.ts'
import { asCaller } from '../challenge/caller.ts'
import { userKeyOf } from '../challenge/user.ts'
import type { RequestContext, Unverified } from './request/context.ts'
import { findVerified, verifiedOf } from './request/context.ts'
import { demand } from './sign-in/demand.ts'
import { isPublic } from './request/public-path.ts'
import { recognize } from './sign-in/remembered.ts'
import { letThroughTime, readMfaState } from './session/web-session.ts'
import type { AppRequest } from './options.ts'
import { gatedLogin } from './setup-checks/ungated-routes.ts'
import { warnOnce } from './setup-checks/warnings.ts'

/** Why the gate lets a request through, or that it does not. */
export type GateDecision =
  | 'nobody'
  | 'off'
  | 'verified'
  | 'let_through'
  | 'logout'
  | 'public'
  | 'not_required'
  | 'remembered'
  | 'stopped'

/** Default-deny: answers whether the request may go on; where not, it has been answered. */
export async function passGate(req: AppRequest, res: ServerResponse, context: RequestContext): Promise<boolean> {
  const { user, mfa, trace } = context
  const decision = await decide(req, context)
  trace?.note({ kind: 'gate', decision, unverified: whyUnverified(req, context) })
  if (decision !== 'stopped') return true
  const login = gatedLogin(req)
  if (login !== undefined) warnOnce(mfa.options, login)
  if (user) await demand(req, res, context, user, { purpose: 'sign_in' })
  return false
}

async function decide(req: AppRequest, context: RequestContext): Promise<GateDecision> {
  const { user, mfa } = context
  if (!user) return 'nobody'
  if (!mfa.options.gate) return 'off'
  if (verifiedOf(req, context, user)) return 'verified'
  if (isLetThrough(req, context)) return 'let_through'
  if (isLogout(req, mfa.options.logoutPath)) return 'logout'
  if (isPublic(req, mfa.options)) return 'public'
  if (mfa.options.required && !(await mfa.options.required(req, user))) return 'not_required'
  // Last, as it may ask the service.
  if (await asCaller(userKeyOf(user), () => recognize(req, context))) return 'remembered'
  return 'stopped'
}

function whyUnverified(req: AppRequest, context: RequestContext): Unverified | undefined {
  const found = findVerified(req, context, context.user)
  return typeof found === 'string' ? found : undefined
}

/** Only the app's own `failMode` lets through, for minutes, and `requireMfa()` takes no notice of it. */
function isLetThrough(req: AppRequest, { mfa, userKey }: RequestContext): boolean {
  const { letThrough } = readMfaState(req)
  if (!mfa.options.failMode) return false
  if (letThrough === undefined || letThrough.userKey !== userKey) return false
  return isBeforeEnd(letThrough.until, letThroughTime, mfa.options.clock.now())
}

/** Exact: what merely begins with the path, or is spelt another way, is gated. */
export function isLogout(req: AppRequest & { originalUrl?: string }, logoutPath: string | undefined): boolean {
  return logoutPath !== undefined && (req.originalUrl ?? req.url ?? '').split('?', 1)[0] === logoutPath
}

import type { ServerResponse } from 'node:http'

import { isBeforeEnd } from '../clock.ts'
import { asCaller } from '../challenge/caller.ts'
import { userKeyOf } from '../challenge/user.ts'
import type { RequestContext } from './context.ts'
import { verifiedOf } from './context.ts'
import { demand } from './demand.ts'
import { isPublic } from './public-path.ts'
import { recognize } from './remembered.ts'
import { letThroughFor, readKept } from './web-session.ts'
import type { AppRequest } from './options.ts'
import { gatedLogin } from './ungated-routes.ts'
import { warnOnce } from './warnings.ts'

/** Default-deny: answers whether the request may go on; where not, it has been answered. */
export async function passGate(req: AppRequest, res: ServerResponse, context: RequestContext): Promise<boolean> {
  const { user, mfa } = context
  if (!user || !mfa.options.gate) return true
  if (verifiedOf(req, context, user)) return true
  if (isLetThrough(req, context)) return true
  if (isLogout(req, mfa.options.logoutPath) || isPublic(req, mfa.options)) return true
  if (mfa.options.required && !(await mfa.options.required(req, user))) return true
  // Last, as it may ask the service.
  if (await asCaller(userKeyOf(user), () => recognize(req, context))) return true
  const stopped = gatedLogin(req)
  if (stopped !== undefined) warnOnce(mfa.options, stopped)
  await demand(req, res, context, user, { purpose: 'sign_in' })
  return false
}

/** Only the app's own `failMode` lets through, for minutes, and `requireMfa()` takes no notice of it. */
function isLetThrough(req: AppRequest, { mfa, userKey }: RequestContext): boolean {
  const { letThrough } = readKept(req)
  if (!mfa.options.failMode) return false
  if (letThrough === undefined || letThrough.userKey !== userKey) return false
  return isBeforeEnd(letThrough.until, letThroughFor, mfa.options.clock.now())
}

/** Exact: what merely begins with the path, or is spelt another way, is gated. */
export function isLogout(req: AppRequest & { originalUrl?: string }, logoutPath: string | undefined): boolean {
  return logoutPath !== undefined && (req.originalUrl ?? req.url ?? '').split('?', 1)[0] === logoutPath
}

import type { Request, Response } from 'express'

import { sendJson, wantsJson } from './answer.ts'
import type { RequestContext } from './context.ts'
import { isOwnPost } from './cross-site.ts'
import { readForm } from './form.ts'
import { liveStatus, statusOnce } from './live-status.ts'
import { cancelPage, completePage, sendAgain, showPage } from './challenge-page.ts'
import { showMessage, showUnavailable } from './pages/render.ts'
import { readKept } from './web-session.ts'
import type { MfaUser } from '../challenge/user.ts'

/** A request for one of the challenge's own routes, by a signed-in user. */
export interface ChallengeRequest {
  readonly req: Request
  readonly res: Response
  readonly context: RequestContext
  readonly user: MfaUser
}

type Route = (request: ChallengeRequest) => Promise<void>

/** Below the challenge path. */
const routes: Readonly<Record<string, Readonly<Partial<Record<string, Route>>>>> = {
  '/': { GET: showPage },
  '/events': { GET: liveStatus },
  '/status': { GET: statusOnce },
  '/complete': { POST: completePage },
  '/send': { POST: sendAgain },
  '/cancel': { POST: cancelPage },
}

export async function serveChallenge(
  req: Request,
  res: Response,
  context: RequestContext,
  below: string,
): Promise<void> {
  const methods = Object.hasOwn(routes, below) ? routes[below] : undefined
  if (!methods) return showMessage(req, res, context, 404, 'not_found')
  const route = methods[req.method]
  if (!route) {
    res.setHeader('Allow', Object.keys(methods).join(', '))
    return showMessage(req, res, context, 405, 'not_found')
  }
  const { user } = context
  if (!user) return notSignedIn(req, res, context)
  if (req.method === 'POST' && !(await isTrusted(req, context)))
    return showMessage(req, res, context, 403, 'cross_site')
  try {
    await route({ req, res, context, user })
  } catch (error) {
    unavailable(req, res, context, error)
  }
}

function notSignedIn(req: Request, res: Response, context: RequestContext): void {
  if (wantsJson(req)) return sendJson(res, 401, { error: 'sign_in_required', message: 'Sign in first.' })
  return showMessage(req, res, context, 401, 'sign_in_first')
}

async function isTrusted(req: Request, { mfa }: RequestContext): Promise<boolean> {
  const form = await readForm(req)
  return isOwnPost(req, {
    token: form['page'],
    expected: readKept(req).challenge?.page,
    publicUrl: mfa.options.publicUrl,
  })
}

/** Nothing was decided, so nobody gets in; the person is told so, and the app's log why. */
function unavailable(req: Request, res: Response, context: RequestContext, error: unknown): void {
  const { name, message, cause } = error instanceof Error ? error : new Error(String(error))
  const why = cause instanceof Error ? ` (${cause.message})` : ''
  context.mfa.options.logger?.error(`mfa: the second step is unavailable: ${name}: ${message}${why}`)
  if (res.headersSent) {
    res.destroy()
    return
  }
  showUnavailable(req, res, context)
}

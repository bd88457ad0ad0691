import type { Request, Response } from 'express'

import { cancel } from '../../challenge/push.ts'
import type { ChallengeRequest } from '../request/web-request.ts'
import { continueAt } from '../request/web-request.ts'
import { emit } from '../request/events.ts'
import { isLogout } from '../gate.ts'
import { leaveByPage } from './leave-by-page.ts'
import type { Logout, ResolvedOptions } from '../options.ts'
import { showMessage } from '../pages/message.ts'
import { logFailure } from '../request/service-outage.ts'
import { warn, warnOnce } from '../setup-checks/warnings.ts'
import { readMfaState } from '../session/web-session.ts'

/**
 * `POST /mfa/sign-out`: ends the second step, then the app's login. In this order, because a handler that answers stores
 * the web session by that, and one that fails must leave nobody verified.
 */
export async function logOut(request: ChallengeRequest): Promise<void> {
  const { req, res, context } = request
  const { logout } = context.mfa.options
  if (!logout) return showMessage(req, res, context, 404, 'not_found')
  cancelRequest(request)
  await req.mfa?.forget()
  leaveByPage(res)
  await run(logout, request)
  if (!isAnswered(res)) continueAt(request, `${context.prefix}/`)
}

/** Says once that the app's route at `logoutPath` refuses the form of our pages: it may be a link, or want a CSRF token. */
export function watchLogoutPath(req: Request, res: Response, options: ResolvedOptions): void {
  const { logout, logoutPath, logoutMethod } = options
  if (logout || req.method !== 'POST' || logoutMethod !== 'POST' || !isLogout(req, logoutPath)) return
  res.once('finish', () => {
    if (res.statusCode < 400) return
    warnOnce(
      options,
      `POST ${logoutPath} was answered ${res.statusCode}, so "Sign out" on the pages of mfa() does not work. Give mfa({ logout }) ` +
        "your logout handler, or write logoutMethod: 'GET' where the route is a link.",
    )
  })
}

/** Takes the request back that the device shows. Not waited for: a service that does not answer keeps nobody signed in. */
function cancelRequest({ req, context }: ChallengeRequest): void {
  const { challenge } = readMfaState(req)
  if (!challenge) return
  emit(req, context, { type: 'challenge.given_up' })
  context.mfa
    .connect()
    .then((service) => cancel(service, challenge))
    .catch((error: unknown) => logFailure(context, 'a request was not canceled at sign-out', error))
}

/** How long a handler that takes `res` has for its answer, ms. */
const answerTimeout = 10_000

/** Resolves when the handler has answered, has called `next()`, or is done and answers nothing. */
function run(logout: Logout, { req, res, context }: ChallengeRequest): Promise<void> {
  const { options } = context.mfa
  return new Promise((resolve, reject) => {
    const cancelTimer = options.clock.after(answerTimeout, () => {
      warn(options, 'logout neither answered nor called next() within 10 s. Let it do so, or let it take req alone.')
      resolve()
    })
    const settle = (error?: unknown) => {
      cancelTimer()
      if (error === undefined || error === null) resolve()
      else reject(error instanceof Error ? error : new Error('logout failed', { cause: error }))
    }
    res.once('close', () => settle())
    const called = Promise.resolve().then(() => logout(req, res, settle))
    // A promise that is done says nothing of a callback in which the handler answers.
    called.then(() => (logout.length === 1 ? settle() : undefined), settle)
  })
}

const isAnswered = (res: Response) => res.headersSent || res.writableEnded || res.destroyed

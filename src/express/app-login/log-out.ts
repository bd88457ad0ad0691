import type { Response } from 'express'

import type { FrameworkRequest } from '../framework/request.ts'
import type { FrameworkResponse } from '../framework/response.ts'
import type { ResolvedOptions } from '../options/options.ts'
import type { Logout } from '../options/app.ts'
import { message } from '../pages/message.ts'
import { appRequestOf } from '../request/app-request.ts'
import type { Outcome } from '../request/outcome.ts'
import { continueAt } from '../request/outcome.ts'
import { isLogout } from '../request/public-path.ts'
import { warn, warnOnce } from '../request/warn.ts'
import type { WebRequest } from '../request/web-request.ts'
import { endWithLogin } from './login-ends.ts'

/**
 * `POST /mfa/sign-out`: ends the second step, then the app's login. In this order, because the answer of the app's handler stores
 * the web session, and if the handler fails, the user must not stay verified.
 */
export async function logOut(request: WebRequest): Promise<Outcome> {
  const { req, context, state } = request
  const { logout } = context.mfa.options
  if (!logout) return message(request, 404, 'not_found')
  const { challenge } = state
  // The requests of other browsers end with the web session as well.
  await endWithLogin(req, context.mfa)
  return {
    state: 'end',
    events: challenge ? [{ type: 'challenge.given_up' }] : [],
    answer: {
      kind: 'app',
      handler: (res) => run(logout, request, res),
      otherwise: continueAt(request, `${context.prefix}/`),
    },
  }
}

/** Warns once if the app's route at `logoutPath` rejects the form of our pages: it may be a link, or require a CSRF token. */
export function watchLogoutPath(req: FrameworkRequest, res: FrameworkResponse, options: ResolvedOptions): void {
  const { logout, logoutPath, logoutMethod } = options
  if (logout || req.method !== 'POST' || logoutMethod !== 'POST' || !isLogout(req, logoutPath)) return
  res.raw.once('finish', () => {
    if (res.raw.statusCode < 400) return
    warnOnce(
      options,
      `POST ${logoutPath} was answered ${res.raw.statusCode}, so "Sign out" on the pages of mfa() does not work. Give mfa({ logout }) ` +
        "your logout handler, or write logoutMethod: 'GET' where the route is a link.",
    )
  })
}

/** How long a handler that takes `res` may take to answer, ms. */
const answerTimeout = 10_000

/** Resolves when the handler has answered, has called `next()`, or is done without an answer. */
function run(logout: Logout, { req, context }: WebRequest, res: FrameworkResponse): Promise<void> {
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
    res.raw.once('close', () => settle())
    const call = async () => {
      const result = logout(appRequestOf(req), res.original as Response, settle)
      await result
      // A handler of Express that takes `res` may still answer in a callback after its promise is settled.
      if (logout.length === 1 || (res.handlersAwaitAnswers && result instanceof Promise)) settle()
    }
    call().catch(settle)
  })
}

import { message } from '../pages/message.ts'
import type { Handler, Outcome } from '../request/outcome.ts'
import { continueAt } from '../request/outcome.ts'
import { warnOnce } from '../request/warn.ts'
import type { WebRequest } from '../request/web-request.ts'
import { bindBrowser, bindingOf } from '../session/id-cookie.ts'
import { queryOf } from '../request/query.ts'

/** Marks the address to which a browser returns with its new binding cookie. */
const returned = 'bound'

/**
 * Serves only browsers that send their binding cookie, because a push request must not be sent for a browser that could not
 * complete it. Other browsers get the cookie and come back to the page; those that return without it are told that cookies are
 * blocked.
 */
export function inBoundBrowser(handler: Handler): Handler {
  return (request, signal) => {
    const { req, context } = request
    return bindingOf(req, context) === undefined ? bindFirst(request) : handler(request, signal)
  }
}

function bindFirst(request: WebRequest): Outcome {
  const { req, context } = request
  const query = req.method === 'GET' ? queryOf(req) : new URLSearchParams()
  if (query.has(returned)) return blocked(request)
  const { cookies } = bindBrowser(req, context, context.mfa.options.random)
  query.set(returned, '')
  return { state: 'as-is', cookies, answer: continueAt(request, `${context.base}?${query}`) }
}

function blocked(request: WebRequest): Outcome {
  const { options } = request.context.mfa
  if (options.publicUrl?.startsWith('https:')) warnOnce(options, blockedCookie)
  return message(request, 400, 'cookies_blocked')
}

const blockedCookie =
  'a browser did not send the cookie mfa-binding back, so its user cannot sign in. It blocks cookies, or it opens the app by http: ' +
  'publicUrl is https, and browsers keep our cookies only over https.'

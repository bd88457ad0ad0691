import type { HttpRequest } from '../framework/http-request.ts'

/**
 * Whether a browser opens a page, as opposed to a script that fetches data, or a frame. A service worker of the app that hands the request
 * on, as `fetch(event.request)` does, leaves its destination empty. No other script can ask in the mode `navigate` (Fetch section 5.4).
 */
export function isNavigation(req: HttpRequest): boolean {
  const { 'sec-fetch-mode': mode, 'sec-fetch-dest': destination = 'document' } = req.headers
  if (mode !== undefined) return mode === 'navigate' && (destination === 'document' || destination === 'empty')
  return acceptsHtml(req)
}

/** Whether the request comes from a script or a frame. Without these headers it is no browser: those always send Accept. */
export function isScript(req: HttpRequest): boolean {
  const { 'sec-fetch-mode': mode, accept } = req.headers
  return !isNavigation(req) && (mode !== undefined || accept !== undefined)
}

/** Turbo fetches pages by script, follows redirects, and shows what it has got: a whole page, or one frame of it. */
export function isTurbo({ headers }: HttpRequest): boolean {
  return headers['x-turbo-request-id'] !== undefined || isTurboFrame({ headers })
}

const isTurboFrame = ({ headers }: Pick<HttpRequest, 'headers'>) => headers['turbo-frame'] !== undefined

/** htmx follows redirects, too, and puts what it has got into the page. */
export function isHtmx({ headers }: HttpRequest): boolean {
  return headers['hx-request'] === 'true'
}

/** Whether the browser shows what is read as a page of its own, and so can return to its address. */
export function opensPage(req: HttpRequest): boolean {
  if (req.method !== 'GET' && req.method !== 'HEAD') return false
  if (isTurboFrame(req)) return false
  return !isHtmx(req) || req.headers['hx-boosted'] === 'true'
}

/** Whether a browser, or Turbo, preloads a page that the user has not opened yet: that must not send a push request. */
export function isPrefetch(req: HttpRequest): boolean {
  const names = ['sec-purpose', 'x-sec-purpose', 'purpose', 'x-moz']
  return names.some((name) => /\bprefetch\b/i.test(header(req, name)))
}

function header(req: HttpRequest, name: string): string {
  const value = req.headers[name]
  return Array.isArray(value) ? value.join(' ') : (value ?? '')
}

/** Whether the answer is for a script. */
export function wantsJson(req: HttpRequest): boolean {
  return /\bapplication\/json\b/i.test(req.headers.accept ?? '') && !acceptsHtml(req)
}

/** Whether a problem is told as JSON: also to `fetch()` and curl, which accept anything by default, as the gate tells them. */
export function readsProblemAsJson(req: HttpRequest): boolean {
  return wantsJson(req) || (isScript(req) && !acceptsHtml(req))
}

const acceptsHtml = ({ headers }: HttpRequest): boolean => /\btext\/html\b/i.test(headers.accept ?? '')

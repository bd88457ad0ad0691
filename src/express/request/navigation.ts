import type { IncomingMessage } from 'node:http'

/** Whether a browser opens a page, as opposed to a script that fetches data, or a frame. */
export function isNavigation(req: IncomingMessage): boolean {
  const { 'sec-fetch-mode': mode, 'sec-fetch-dest': destination = 'document' } = req.headers
  if (mode !== undefined) return mode === 'navigate' && destination === 'document'
  return /\btext\/html\b/i.test(req.headers.accept ?? '')
}

/** Whether the request comes from a script or a frame. Without these headers it is no browser: those always send Accept. */
export function isScript(req: IncomingMessage): boolean {
  const { 'sec-fetch-mode': mode, accept } = req.headers
  return !isNavigation(req) && (mode !== undefined || accept !== undefined)
}

/** Whether a browser preloads a page that the user has not opened yet: that must not send a push request. */
export function isPrefetch(req: IncomingMessage): boolean {
  return /\bprefetch\b/i.test(`${header(req, 'sec-purpose')} ${header(req, 'purpose')} ${header(req, 'x-moz')}`)
}

function header(req: IncomingMessage, name: string): string {
  const value = req.headers[name]
  return Array.isArray(value) ? value.join(' ') : (value ?? '')
}

/** Whether the answer is for a script. */
export function wantsJson(req: IncomingMessage): boolean {
  const accept = req.headers.accept ?? ''
  return /\bapplication\/json\b/i.test(accept) && !/\btext\/html\b/i.test(accept)
}

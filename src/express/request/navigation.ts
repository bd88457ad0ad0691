import type { IncomingMessage } from 'node:http'

/** Whether a person's browser goes to a page, as opposed to a script that fetches data and a page that frames another. */
export function isNavigation(req: IncomingMessage): boolean {
  const { 'sec-fetch-mode': mode, 'sec-fetch-dest': destination = 'document' } = req.headers
  if (mode !== undefined) return mode === 'navigate' && destination === 'document'
  return /\btext\/html\b/i.test(req.headers.accept ?? '')
}

/** Whether a page's script or frame asks. What says nothing of itself is no browser: those always send Accept. */
export function isScript(req: IncomingMessage): boolean {
  const { 'sec-fetch-mode': mode, accept } = req.headers
  return !isNavigation(req) && (mode !== undefined || accept !== undefined)
}

/** Browsers fetch pages ahead that nobody asked for yet; those must not send anything to a device. */
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

import type { IncomingMessage } from 'node:http'

/** Whether a person's browser goes to a page, as opposed to a script that fetches data. */
export function isNavigation(req: IncomingMessage): boolean {
  const mode = req.headers['sec-fetch-mode']
  if (mode !== undefined) return mode === 'navigate'
  return /\btext\/html\b/i.test(req.headers.accept ?? '')
}

/** Browsers fetch pages ahead that nobody asked for yet; those must not send anything to a device. */
export function isPrefetch(req: IncomingMessage): boolean {
  return /\bprefetch\b/i.test(`${header(req, 'sec-purpose')} ${header(req, 'purpose')} ${header(req, 'x-moz')}`)
}

function header(req: IncomingMessage, name: string): string {
  const value = req.headers[name]
  return Array.isArray(value) ? value.join(' ') : (value ?? '')
}

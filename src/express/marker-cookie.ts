import type { IncomingMessage, ServerResponse } from 'node:http'

import type { RequestContext } from './context.ts'

/** The marker that the browser sends, whatever it is worth. */
export function readMarker(req: IncomingMessage, context: RequestContext): string | undefined {
  const name = nameOf(req, context)
  for (const part of (req.headers.cookie ?? '').split(';')) {
    const [key, value = ''] = part.trim().split('=', 2)
    if (key === name && /^[\w.-]{1,1024}$/.test(value)) return value
  }
  return undefined
}

/** @param seconds how long the browser keeps it; 0 takes it away. */
export function writeMarker(
  req: IncomingMessage,
  res: ServerResponse,
  context: RequestContext,
  { marker, seconds }: { readonly marker: string; readonly seconds: number },
): void {
  const facts = [
    `${nameOf(req, context)}=${marker}`,
    `Path=${context.prefix}/`,
    `Max-Age=${seconds}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(isSecure(req, context) ? ['Secure'] : []),
  ]
  res.appendHeader('Set-Cookie', facts.join('; '))
}

/** No other host can set a cookie of that prefix; it demands https and the whole host (RFC 6265bis section 4.1.3.2). */
function nameOf(req: IncomingMessage, context: RequestContext): string {
  return isSecure(req, context) && context.prefix === '' ? '__Host-mfa-browser' : 'mfa-browser'
}

/** As the browser sees the app; where its address is not configured, as the connection says. */
function isSecure(req: IncomingMessage, { mfa }: RequestContext): boolean {
  const { publicUrl } = mfa.options
  return publicUrl === undefined ? 'encrypted' in req.socket : publicUrl.startsWith('https:')
}

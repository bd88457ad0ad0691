import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'

const header = 'X-Request-Id'

/** Gives the request a name that its answer and its log lines carry: the caller's own, where that is fit for a log. */
export function nameRequest(req: IncomingMessage, res: ServerResponse): void {
  if (res.headersSent || res.hasHeader(header)) return
  const given = req.headers['x-request-id']
  res.setHeader(header, typeof given === 'string' && /^[\w.:/+=-]{1,128}$/.test(given) ? given : randomUUID())
}

/** @returns nothing where the request was never given one. */
export function requestIdOf(res: ServerResponse): string | undefined {
  return res.getHeader(header)?.toString()
}

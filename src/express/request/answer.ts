import type { IncomingMessage, ServerResponse } from 'node:http'

/** What is said here is about one person at one moment: nothing on the way may keep it. */
export function noStore(res: ServerResponse): void {
  res.setHeader('Cache-Control', 'no-store')
}

export function sendJson(res: ServerResponse, status: number, body: unknown): void {
  noStore(res)
  res.statusCode = status
  res.setHeader('Content-Type', 'application/json; charset=utf-8')
  res.end(JSON.stringify(body))
}

/** 303: whatever the method was, go on with GET (RFC 9110 section 15.4.4). */
export function seeOther(res: ServerResponse, location: string): void {
  noStore(res)
  res.statusCode = 303
  res.setHeader('Location', location)
  res.setHeader('Content-Length', '0')
  res.end()
}

export function wantsJson(req: IncomingMessage): boolean {
  const accept = req.headers.accept ?? ''
  return /\bapplication\/json\b/i.test(accept) && !/\btext\/html\b/i.test(accept)
}

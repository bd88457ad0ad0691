import type { IncomingMessage, ServerResponse } from 'node:http'

import type { Connection } from '../../src/service-handle.ts'

/** Answers a request over HTTP with what the connected service says. @param headers Replace those of the request. */
export async function serveConnection(
  { baseUrl, fetch: call = fetch }: Connection,
  { req, res }: { readonly req: IncomingMessage; readonly res: ServerResponse },
  headers: Readonly<Record<string, string>> = {},
): Promise<void> {
  const disconnection = new AbortController()
  res.on('close', () => disconnection.abort())
  const body = Buffer.concat(await req.toArray())
  const headerEntries = Object.entries(req.headers).filter(
    ([name]) => !['host', 'connection', 'content-length'].includes(name),
  )
  try {
    const answer = await call(new URL(req.url ?? '', baseUrl), {
      method: req.method ?? 'GET',
      headers: { ...Object.fromEntries(headerEntries.map(([name, value]) => [name, String(value)])), ...headers },
      signal: disconnection.signal,
      ...(body.length > 0 && { body }),
    })
    res.writeHead(answer.status, Object.fromEntries(answer.headers))
    for await (const bytes of answer.body ?? []) res.write(bytes)
    res.end()
  } catch {
    res.destroy()
  }
}

/** What the recipe uses of Next.js: it answers route handlers at any spelling of their path, and the rest with the path that it has read. */
import type { IncomingMessage, ServerResponse } from 'node:http'

const routes: Readonly<Record<string, string>> = { '/api/me': '../../../examples/next/app/api/me/route.js' }

export default function next() {
  return { prepare: () => Promise.resolve(), getRequestHandler: () => handle }
}

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = decodeURIComponent(new URL(request.url ?? '/', 'http://localhost').pathname)
  const file = routes[path]
  if (file === undefined) return void response.end(`Next shows ${path}`)
  const { GET } = (await import(file)) as { GET: () => Promise<Response> }
  response.setHeader('content-type', 'application/json')
  response.end(await (await GET()).text())
}

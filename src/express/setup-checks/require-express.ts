import type { IncomingMessage, ServerResponse } from 'node:http'

import { SetupError } from '../../service-handle.ts'

/** @throws {SetupError} for a request or response to which Express has added nothing, as other frameworks call middleware. */
export function requireExpress(req: IncomingMessage, res: ServerResponse): void {
  if ('path' in req && 'redirect' in res) return
  throw new SetupError(
    'mfa() was called without Express. Put it into an Express app, after session() and your login, and let that app have the requests ' +
      'first: createServer(app) of node:http, fastify.use(app) with @fastify/express, or koa.use(connect(app)) with koa-connect.',
  )
}

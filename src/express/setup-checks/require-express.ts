import type { IncomingMessage, ServerResponse } from 'node:http'
import { createRequire } from 'node:module'

import { SetupError } from '../../service-handle.ts'

/** The oldest supported Express. Older ones read no forms. */
const minVersion = [4, 16] as const

/** @throws {SetupError} where an older Express is installed: an app should find out when it starts. */
export function checkExpressVersion(version = installedVersion()): void {
  if (version === undefined) return
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major > minVersion[0] || (major === minVersion[0] && minor >= minVersion[1])) return
  throw new SetupError(
    `mfa() needs Express ${minVersion.join('.')} or later; this is ${version}: npm install express@4`,
  )
}

/** @returns undefined where it cannot be found out, as in an app that is bundled. */
function installedVersion(): string | undefined {
  try {
    return (createRequire(import.meta.url)('express/package.json') as { version?: string }).version
  } catch {
    return undefined
  }
}

/** @throws {SetupError} for a request or response to which Express has added nothing, as other frameworks call middleware. */
export function requireExpress(req: IncomingMessage, res: ServerResponse): void {
  if ('path' in req && 'redirect' in res) return
  throw new SetupError(
    'mfa() was called without Express. In Fastify, register the plugin second-factor/fastify. Elsewhere, put it into an Express app, after ' +
      'session() and your login, and let that app have the requests first: createServer(app) of node:http, or koa.use(connect(app)) with ' +
      'koa-connect.',
  )
}

import type { Request } from 'express'

import type { FrameworkRequest } from '../framework/request.ts'
import { ungatedRoutes } from './ungated-routes.ts'
import type { Check } from './warnings.ts'

/** What only an app of Express can be checked for. */
export const expressChecks: readonly Check[] = [ungatedRoutes, secureBehindProxy]

function secureBehindProxy(req: FrameworkRequest): string | undefined {
  const { session, app, headers, secure } = req as Request & { session?: { cookie?: { secure?: unknown } } }
  if (session?.cookie?.secure !== true || secure || headers['x-forwarded-proto'] === undefined) return undefined
  return app.get('trust proxy')
    ? undefined
    : "the cookie is secure, and a proxy ends https: app.set('trust proxy', …), or no user can sign in."
}

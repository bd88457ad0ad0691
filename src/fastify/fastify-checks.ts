import type { FastifyRequest } from 'fastify'

import type { FrameworkRequest } from '../express/framework/request.ts'
import type { Check } from '../express/setup-checks/warnings.ts'

/** What only an app of Fastify can be checked for. */
export const fastifyChecks: readonly Check[] = [secureCookie, sessionsInMemory]

/** The cookie of @fastify/session is secure by default, and is then not sent at all over http. */
function secureCookie(req: FrameworkRequest): string | undefined {
  const { session } = req as FrameworkRequest & {
    readonly session?: { readonly cookie?: { readonly secure?: unknown } }
  }
  if (session?.cookie?.secure !== true || (req.original as FastifyRequest).protocol === 'https') return undefined
  return (
    'the cookie of @fastify/session is secure, and this request came over http, so no user can sign in. While developing, write ' +
    "cookie: { secure: 'auto' }. Behind a proxy that ends https, write Fastify({ trustProxy: … })."
  )
}

function sessionsInMemory(req: FrameworkRequest): string | undefined {
  const { sessionStore } = req as FrameworkRequest & { readonly sessionStore?: { readonly store?: unknown } }
  if (process.env['NODE_ENV'] !== 'production' || !(sessionStore?.store instanceof Map)) return undefined
  return 'web sessions are kept in memory: they are lost at each start and are not shared. Give the option store of @fastify/session.'
}

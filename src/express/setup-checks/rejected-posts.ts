import type { IncomingMessage, Server, ServerResponse } from 'node:http'

import type { Request } from 'express'

import type { ResolvedOptions } from '../options.ts'
import { warn } from '../request/warn.ts'

/**
 * Says once that something before `mfa()` refuses POSTs below its path, as CSRF protection does that wants a token of its own in
 * each: neither the pages nor the authenticator have one, and `mfa()` never sees such a request. So this listens where
 * requests arrive.
 *
 * @returns what is to be called with each request that `mfa()` sees.
 */
export function createRejectedPosts(options: ResolvedOptions): (req: Request) => void {
  const servers = new WeakSet<Server>()
  const seen = new WeakSet<IncomingMessage>()
  let warned = false

  function watch(server: Server): void {
    server.prependListener('request', function look(req: IncomingMessage, res: ServerResponse) {
      if (warned) server.off('request', look)
      const [path = ''] = (req.url ?? '').split('?', 1)
      if (warned || req.method !== 'POST' || !path.includes(`${options.path}/`)) return
      res.once('finish', () => {
        if (!warned && !seen.has(req) && isRejectedByCsrf(req, res)) tell(path, res)
      })
    })
  }

  function tell(path: string, { statusCode }: ServerResponse): void {
    warned = true
    warn(
      options,
      `POST ${path} was answered ${statusCode} before mfa() saw it, most likely by CSRF protection. With that in front, ` +
        'no form below mfa() works, and the authenticator says that the service does not answer. Both have a defense of ' +
        'their own. Change the order: app.use(mfa({ … })), then app.use(csrf()).',
    )
  }

  return (req) => {
    if (warned) return
    seen.add(req)
    // Node says in no type that a socket knows its server.
    const { server } = req.socket as typeof req.socket & { readonly server?: Server }
    if (!server || servers.has(server)) return
    servers.add(server)
    watch(server)
  }
}

/** csurf, lusca, csrf-csrf and csrf-sync leave `req.csrfToken()` behind; what an error handler makes of the refusal differs. */
function isRejectedByCsrf(
  req: IncomingMessage & { readonly csrfToken?: unknown },
  { statusCode }: ServerResponse,
): boolean {
  return statusCode === 403 || typeof req.csrfToken === 'function'
}

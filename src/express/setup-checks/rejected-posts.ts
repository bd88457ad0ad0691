import type { IncomingMessage, Server, ServerResponse } from 'node:http'

import type { ResolvedOptions } from '../options/options.ts'
import { warn } from '../request/warn.ts'

/** The POSTs that an `mfa()` has seen. One app can have several, and the answer of each is no answer of other middleware. */
const checkedRequests = new WeakSet<IncomingMessage>()

/**
 * Warns once if middleware before `mfa()` rejects POSTs below its path, such as CSRF protection that requires its own token:
 * neither the pages nor the authenticator have one. `mfa()` never sees such a request, so this listens on the server.
 *
 * @param order The right order, as code of the framework.
 * @returns a function to call with each request that `mfa()` sees.
 */
export function createRejectedPosts(options: ResolvedOptions, order: string): (req: IncomingMessage) => void {
  const servers = new WeakSet<Server>()
  let warned = false

  function watch(server: Server): void {
    server.prependListener('request', function look(req: IncomingMessage, res: ServerResponse) {
      if (warned) server.off('request', look)
      const [path = ''] = (req.url ?? '').split('?', 1)
      if (warned || req.method !== 'POST' || !path.includes(`${options.path}/`)) return
      res.once('finish', () => {
        if (!warned && !checkedRequests.has(req) && isRejectedByCsrf(req, res)) tell(path, res)
      })
    })
  }

  function tell(path: string, { statusCode }: ServerResponse): void {
    warned = true
    warn(
      options,
      `POST ${path} was answered ${statusCode} before mfa() saw it, most likely by CSRF protection. With that in front, ` +
        'no form below mfa() works, and the authenticator says that the service does not answer. Both have a defense of ' +
        `their own. Change the order: ${order}.`,
    )
  }

  return (req) => {
    if (req.method === 'POST') checkedRequests.add(req)
    if (warned) return
    // Node's types do not have the server of a socket.
    const { server } = req.socket as typeof req.socket & { readonly server?: Server }
    if (!server || servers.has(server)) return
    servers.add(server)
    watch(server)
  }
}

/** csurf, lusca, csrf-csrf and csrf-sync set `req.csrfToken()`, also where the app's error handler changes the status. */
function isRejectedByCsrf(
  req: IncomingMessage & { readonly csrfToken?: unknown },
  { statusCode }: ServerResponse,
): boolean {
  return statusCode === 403 || typeof req.csrfToken === 'function'
}

import type { IncomingMessage } from 'node:http'

import type { Handle } from './handle.ts'

/**
 * Mounts a handler below a path, as `app.use(path, handler)` of Express does. A router of Express creates several functions for
 * each request, which a held request keeps in memory.
 */
export function mount(path: string, handle: Handle): Handle {
  if (path === '') return handle
  const prefix = path.toLowerCase()
  return (req: IncomingMessage & { originalUrl?: string }, res, next) => {
    const { url = '/' } = req
    const rest = url.slice(prefix.length)
    if (url.slice(0, prefix.length).toLowerCase() !== prefix || !/^(?:[/?]|$)/.test(rest)) return next()
    req.originalUrl ??= url
    req.url = rest.startsWith('/') ? rest : `/${rest}`
    handle(req, res, (error) => {
      req.url = url
      next(error)
    })
  }
}

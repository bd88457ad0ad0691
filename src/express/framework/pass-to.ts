import type { IncomingMessage, ServerResponse } from 'node:http'

import type { ServiceHandle } from '../../service-handle.ts'

/** Where a handler finds itself mounted. */
export interface Mount {
  readonly base: string
  /** The path below `base`, with the query. */
  readonly url: string
}

/** Has a handler of `node:http` answer. @returns a promise that resolves when it has answered, or has passed the request on. */
export function passTo(
  handler: ServiceHandle['routes'],
  req: IncomingMessage & { baseUrl?: string; originalUrl?: string },
  res: ServerResponse,
  mount: Mount,
): Promise<void> {
  const { url = '/', baseUrl = '' } = req
  req.originalUrl ??= url
  return new Promise((resolve, reject) => {
    req.url = mount.url
    req.baseUrl = mount.base
    res.once('close', resolve)
    handler(req, res, (error) => {
      req.url = url
      req.baseUrl = baseUrl
      if (error) reject(error instanceof Error ? error : new Error('The service failed.', { cause: error }))
      else resolve()
    })
  })
}

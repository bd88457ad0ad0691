import type { IncomingMessage, ServerResponse } from 'node:http'

/** A request handler as Express mounts it; calls `next` for other paths. */
export type Handle = (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => void

/**
 * Makes a handle for its first request. A failure is passed on, and the next request tries again: a process that has no file
 * descriptor left cannot load Express.
 */
export function makeOnFirstUse(make: () => Handle): Handle {
  let handler: Handle | undefined
  return (req, res, next) => {
    try {
      handler ??= make()
    } catch (error) {
      return next(error)
    }
    handler(req, res, next)
  }
}

import type { IncomingMessage, ServerResponse } from 'node:http'

import type { FrameworkRequest } from './request.ts'

/** A guard passes a request on, or an error, or has it answered. */
export type Guard = (req: FrameworkRequest, next: (error?: unknown) => void) => void

/**
 * A guard as Express takes it. It names no type of Express: a `RequestHandler` would decide the types of all handlers of its route, and
 * `req.params` would no longer be those of the path.
 */
export type RouteGuard = (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => void

/** Express has made the request. */
export const toRouteGuard =
  (guard: Guard): RouteGuard =>
  (req, _res, next) =>
    guard(req as unknown as FrameworkRequest, next)

import type { IncomingMessage, ServerResponse } from 'node:http'

import type { Request, Response, Router } from 'express'

/** A request handler as Express mounts it; calls `next` for other paths. */
export type Handle = (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => void

/** A router that also works outside of an Express app, because it uses nothing that Express adds to requests. */
export const asHandle =
  (router: Router): Handle =>
  (req, res, next) =>
    router(req as Request, res as Response, next)

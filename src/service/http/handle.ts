import type { IncomingMessage, ServerResponse } from 'node:http'

import type { Request, Response, Router } from 'express'

/** As Express mounts it; `next` is called for what is none of its business. */
export type Handle = (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => void

/** A router that also works outside of an Express app: ours use nothing that Express adds to requests. */
export const asHandle =
  (router: Router): Handle =>
  (req, res, next) =>
    router(req as Request, res as Response, next)

import type { IncomingMessage, ServerResponse } from 'node:http'

/** A request handler as Express mounts it; calls `next` for other paths. */
export type Handle = (req: IncomingMessage, res: ServerResponse, next: (error?: unknown) => void) => void

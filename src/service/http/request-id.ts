import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'

import { readRequestId, requestIdHeader } from '../../contract/request-id.ts'
import type { ServiceContext } from '../context/service-context.ts'
import type { Logger } from '../ground/logger.ts'

/** Gives the request a name that its answer and its log lines carry: the caller's own, where that is fit for a log. */
export function nameRequest(req: IncomingMessage, res: ServerResponse): void {
  if (res.headersSent || res.hasHeader(requestIdHeader)) return
  res.setHeader(requestIdHeader, readRequestId(req.headers['x-request-id']) ?? randomUUID())
}

/** @returns nothing where the request was never given one. */
export function requestIdOf(res: ServerResponse): string | undefined {
  return res.getHeader(requestIdHeader)?.toString()
}

/** The same context for what one request causes: its log lines and audit entries carry the id of the request. */
export function contextOfRequest<C extends Pick<ServiceContext, 'logger' | 'requestId'>>(
  ctx: C,
  res: ServerResponse,
): C {
  const requestId = requestIdOf(res)
  return requestId === undefined ? ctx : { ...ctx, requestId, logger: namingRequest(ctx.logger, requestId) }
}

function namingRequest(logger: Logger, requestId: string): Logger {
  return {
    info: (details, message) => logger.info({ ...details, requestId }, message),
    warn: (details, message) => logger.warn({ ...details, requestId }, message),
    error: (details, message) => logger.error({ ...details, requestId }, message),
  }
}

import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'

import { readRequestId, requestIdHeader } from '../../../contract/request-id.ts'
import type { ServiceContext } from '../context/service-context.ts'
import type { Logger } from '../base/logger.ts'

/** Gives the request an id for its response and its log lines: the caller's own id, if it is safe to log. */
export function nameRequest(req: IncomingMessage, res: ServerResponse): void {
  if (res.headersSent || res.hasHeader(requestIdHeader)) return
  res.setHeader(requestIdHeader, readRequestId(req.headers['x-request-id']) ?? randomUUID())
}

/** @returns undefined if the request has no id. */
export function requestIdOf(res: ServerResponse): string | undefined {
  return res.getHeader(requestIdHeader)?.toString()
}

/** A context for one request: its log lines and audit entries contain the request's id. */
export function contextOfRequest<C extends Pick<ServiceContext, 'logger' | 'requestId'>>(
  ctx: C,
  requestId: string | undefined,
): C {
  return requestId === undefined ? ctx : { ...ctx, requestId, logger: new RequestLogger(ctx.logger, requestId) }
}

/** A class, because three functions for each request take 200 bytes more while it is held. */
class RequestLogger implements Logger {
  readonly #logger: Logger
  readonly #requestId: string

  constructor(logger: Logger, requestId: string) {
    this.#logger = logger
    this.#requestId = requestId
  }

  info(details: object, message: string): void {
    this.#logger.info(this.#named(details), message)
  }

  warn(details: object, message: string): void {
    this.#logger.warn(this.#named(details), message)
  }

  error(details: object, message: string): void {
    this.#logger.error(this.#named(details), message)
  }

  #named(details: object): object {
    return { ...details, requestId: this.#requestId }
  }
}

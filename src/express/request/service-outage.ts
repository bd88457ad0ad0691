import { currentRequestId } from '../../challenge/request-id.ts'
import { ApiError, UnreachableError } from '../../client/errors.ts'
import type { Clock } from '../../clock.ts'
import { createOutageWatch } from '../../outage.ts'
import type { OutageWatch } from '../../outage.ts'
import type { RequestContext } from './context.ts'
import type { Logger } from '../options.ts'

/** Logs once that the service is gone, and once that it is back, however many people find out. */
export function createServiceOutage(clock: Clock, logger: Logger): OutageWatch {
  return createOutageWatch(clock, {
    onStart: (error) => logger.error(`mfa: service gone: ${describe(error)} (request ${currentRequestId()})`),
    onEnd: ({ seconds, refused }) =>
      logger.warn(`mfa: service back after ${seconds} s; ${refused} requests were refused meanwhile`),
  })
}

/**
 * A service that answers no is not out: that is never a reason to do without it. Nor is one that we have not asked, as
 * whoever asks us often enough could bring that about.
 */
export function isOutage(error: unknown): error is Error {
  if (error instanceof UnreachableError) return error.reason !== 'no_room'
  // Whoever asks the service often enough could bring about that it refuses others, too.
  return error instanceof ApiError && error.status >= 500 && error.unprocessed !== 'overload'
}

/** Logs what somebody goes on without. In an outage, all of it is one line. */
export function logFailure({ mfa, requestId }: RequestContext, what: string, error: unknown): void {
  if (isOutage(error)) return mfa.outage.failed(error)
  const reason = error instanceof Error ? error.message : String(error)
  mfa.options.logger.warn(`mfa: ${what}: ${reason} (request ${requestId()})`)
}

/** In one line, for the log. */
export function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = error instanceof ApiError ? ` ${error.code}` : ''
  const cause = error.cause instanceof Error ? error.cause.message : ''
  const why = error.message.includes(cause) ? '' : ` (${cause})`
  // Our own messages name their function already.
  return `${error.name}${code}: ${error.message.replace(/^mfa: /, '')}${why}`
}

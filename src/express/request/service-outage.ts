import { currentRequestId } from '../../challenge/service-calls.ts'
import { ApiError, UnreachableError } from '../../client/errors.ts'
import type { Clock } from '../../ground/clock.ts'
import { createOutageWatch } from '../../ground/outage.ts'
import type { OutageWatch } from '../../ground/outage.ts'
import type { RequestContext } from './context.ts'
import type { Logger } from '../options/app.ts'

/** Logs once that the service is gone, and once that it is back, however many requests notice. */
export function createServiceOutage(clock: Clock, logger: Logger): OutageWatch {
  return createOutageWatch(clock, {
    onStart: (error) => logger.error(`mfa: service gone: ${describe(error)} (request ${currentRequestId()})`),
    onEnd: ({ seconds, refused }) =>
      logger.warn(`mfa: service back after ${seconds} s; ${refused} requests were refused meanwhile`),
  })
}

/**
 * Whether the service is unreachable. A service that refuses is not. Nor is it if we did not ask because too many calls were
 * pending: an attacker could cause that by many requests, and so trigger `failMode`.
 */
export function isOutage(error: unknown): error is Error {
  if (error instanceof UnreachableError) return error.reason !== 'no_room'
  // The same holds for a service that refuses because it is overloaded.
  return error instanceof ApiError && error.status >= 500 && error.unprocessed !== 'overload'
}

/** Logs that something optional failed. In an outage, all of that is one line. */
export function logFailure({ mfa, requestId }: RequestContext, task: string, error: unknown): void {
  if (isOutage(error)) return mfa.outage.failed(error)
  const reason = error instanceof Error ? error.message : String(error)
  mfa.options.logger.warn(`mfa: ${task}: ${reason} (request ${requestId()})`)
}

/** Describes an error in one line, for the log. */
export function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const code = error instanceof ApiError ? ` ${error.code}` : ''
  const cause = error.cause instanceof Error ? error.cause.message : ''
  const detail = error.message.includes(cause) ? '' : ` (${cause})`
  // Our own messages start with it already.
  return `${error.name}${code}: ${error.message.replace(/^mfa: /, '')}${detail}`
}

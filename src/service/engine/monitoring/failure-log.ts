import type { Clock } from '../../../ground/clock.ts'
import { createOutageWatch } from '../../../ground/outage.ts'
import type { Logger } from '../base/logger.ts'
import { createLogLimit } from '../base/log-limit.ts'
import type { ApiProblem } from '../base/problem.ts'
import { StoreUnavailableError } from '../base/store-errors.ts'
import type { StoreObserver } from '../database/store.ts'

/** Logs internal failures: a database outage once, and not once per request. */
export interface FailureLog {
  /** A request was answered with a status of 500 or more. */
  requestFailed(problem: ApiProblem, requestId: string | undefined): void
  /** Receives the results of database operations. */
  readonly database: Pick<StoreObserver, 'succeeded' | 'failed'>
  /** Whether an error belongs to an outage that is already logged. */
  covers(error: unknown): boolean
  close(): void
}

export function createFailureLog({ logger, clock }: { readonly logger: Logger; readonly clock: Clock }): FailureLog {
  const limit = createLogLimit(clock)
  let isGone = false
  /** The reason that was logged last. */
  let loggedReason = ''
  /** Whether writes have failed: then successful reads do not end the outage. */
  let writesFailed = false
  const outage = createOutageWatch(clock, {
    onStart(error) {
      isGone = true
      loggedReason = messageOf(error)
      logger.error({ reason: reasonOf(error) }, 'database unavailable')
    },
    onEnd({ seconds, refused }) {
      isGone = false
      writesFailed = false
      logger.warn({ seconds, refused }, 'database available again')
    },
  })
  const covers = (error: unknown) => isGone && error instanceof StoreUnavailableError

  return {
    requestFailed(problem, requestId) {
      const { code, cause, message } = problem
      const fields = { code, ...(requestId !== undefined && { requestId }) }
      if (problem.status !== 503) return logger.error({ err: cause ?? problem, ...fields }, 'request failed')
      if (covers(cause) && outage.refused()) return
      // A load balancer or many users may cause it repeatedly, and the stack is not informative.
      const reason = cause === undefined ? message : reasonOf(cause)
      if (limit.admits(reason)) logger.warn({ reason, ...fields }, 'requests are rejected')
    },
    database: {
      failed(part, error) {
        writesFailed ||= part === 'write'
        outage.failed(error)
        if (isGone && messageOf(error) !== loggedReason && limit.admits(messageOf(error))) {
          loggedReason = messageOf(error)
          logger.error({ reason: reasonOf(error) }, 'database unavailable for another reason')
        }
      },
      succeeded(part) {
        if (part === 'write' || !writesFailed) outage.succeeded()
      },
    },
    covers,
    close: () => outage.close(),
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** The message and its cause: codes of PostgreSQL, SQLite and the operating system say more than a stack. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined
  if (!(cause instanceof Error)) return messageOf(error)
  const code = 'code' in cause && typeof cause.code === 'string' ? `${cause.code}: ` : ''
  return `${messageOf(error)} (${code}${cause.message})`
}

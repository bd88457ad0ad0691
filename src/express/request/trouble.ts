import { ApiError, UnreachableError } from '../../client/errors.ts'
import { WebSessionError } from '../session/web-session-error.ts'
import type { RequestContext } from './context.ts'
import { ImportError } from './import-error.ts'
import type { EventFacts, Trouble } from '../options/mfa-event.ts'
import { describe, isOutage } from './service-outage.ts'

/** Seconds until a retry makes sense, if the service does not say. */
const usualRetry = 5

export const isTrouble = (error: unknown): boolean =>
  [ApiError, UnreachableError, WebSessionError, ImportError].some((errorClass) => error instanceof errorClass)

/** Logs the trouble. @returns what to tell the user, with `retryAfter` in seconds, and the event for the app. */
export function reportTrouble(context: RequestContext, error: unknown) {
  const trouble = troubleOf(error)
  logTrouble(context, error)
  const { retryAfter = usualRetry } = error instanceof ApiError || error instanceof UnreachableError ? error : {}
  const event = { type: 'service.unavailable', reason: trouble } as const satisfies EventFacts
  return { trouble, retryAfter, event }
}

/** An outage is one line, not one per request; any other trouble is a line of its own. */
function logTrouble({ mfa, requestId }: RequestContext, error: unknown): void {
  if (isOutage(error)) {
    mfa.outage.failed(error)
    mfa.outage.refused()
  } else {
    mfa.options.logger.error(`mfa: the second step is unavailable: ${describe(error)} (request ${requestId()})`)
  }
}

function troubleOf(error: unknown): Trouble {
  if (error instanceof UnreachableError) return troubles[error.reason]
  if (error instanceof WebSessionError) return 'not_stored'
  if (error instanceof ImportError) return 'not_imported'
  if (!(error instanceof ApiError)) return 'unavailable'
  if (error.status === 429 || error.unprocessed === 'overload') return 'busy'
  return error.status >= 500 ? 'unavailable' : 'misconfigured'
}

/** As Express and its error handlers read it. The service's own status means nothing to users: a 401 is not their fault. */
export function unavailableError(cause: unknown, retryAfter: number): Error {
  const error = new Error('The second step is unavailable.', { cause })
  return Object.assign(error, { status: 503, headers: { 'Retry-After': String(retryAfter) } })
}

const troubles = { network: 'unavailable', bad_response: 'unavailable', timeout: 'slow', no_room: 'busy' } as const

import { ApiError } from '../client/errors.ts'

/** Where a service does not say how long, seconds. */
const usualWait = 60

/** How long the service wants nothing more of this kind, seconds; undefined when that is not what it says. */
export function secondsToWait(error: unknown): number | undefined {
  return error instanceof ApiError && error.status === 429 ? (error.retryAfter ?? usualWait) : undefined
}

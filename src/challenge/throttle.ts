import { ApiError } from '../client/errors.ts'

/** If the service does not say how long, seconds. */
const usualWait = 60

/** How long the service accepts no further call of this kind, seconds; undefined for any other error. */
export function secondsToWait(error: unknown): number | undefined {
  return error instanceof ApiError && error.status === 429 ? (error.retryAfter ?? usualWait) : undefined
}

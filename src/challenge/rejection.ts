import { ApiError } from '../client/errors.ts'
import type { ErrorCode } from '../contract/errors.ts'

/** If the service does not say how long, seconds. */
const usualWait = 60

/** How long the service accepts no further call of this kind, seconds; undefined for any other error. */
export function secondsToWait(error: unknown): number | undefined {
  return error instanceof ApiError && error.status === 429 ? (error.retryAfter ?? usualWait) : undefined
}

/** Resolves to undefined if the service rejects the call with one of these codes. */
export async function unlessRejected<T>(call: Promise<T>, ...codes: readonly ErrorCode[]): Promise<T | undefined> {
  try {
    return await call
  } catch (error) {
    if (error instanceof ApiError && codes.some((code) => code === error.code)) return undefined
    throw error
  }
}

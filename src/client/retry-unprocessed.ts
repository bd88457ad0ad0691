import { pause } from '../ground/clock.ts'
import { ApiError } from './errors.ts'
import type { ResolvedClientOptions } from './options.ts'

/**
 * Retries calls that the service rejected before it processed them, and once those with an `Idempotency-Key` whose outcome the service
 * does not know. A call without a response is not repeated: a service that ignores the key could create twice.
 */
export interface UnprocessedRetry {
  /** @throws what the last attempt throws. */
  run<T>(call: () => Promise<T>, signal?: AbortSignal, hasKey?: boolean): Promise<T>
}

/** Retries of one call. */
const maxRetries = 2
/** All pauses of one call together, milliseconds: a person waits for the page. */
const maxPause = 6_000
/** Up to this part of a pause is added at random, so that calls rejected together are not repeated together. */
const jitter = 0.5

/**
 * While most calls are rejected, none is retried: that would add to the load of an overloaded service. Each rejection
 * takes a token, each success adds half a token; the limits are those of gRPC's retry throttling, scaled to a web app
 * (gRPC A6, "Throttling Retry Attempts and Hedged RPCs").
 */
const tokens = { max: 64, rejected: 1, succeeded: 0.5 }

export function createUnprocessedRetry({
  clock,
  random,
}: Pick<ResolvedClientOptions, 'clock' | 'random'>): UnprocessedRetry {
  let remainingTokens = tokens.max

  return {
    async run(call, signal, hasKey = false) {
      let paused = 0
      let mayRepeat = hasKey
      for (let retries = 0; ; retries += 1) {
        try {
          const answer = await call()
          remainingTokens = Math.min(tokens.max, remainingTokens + tokens.succeeded)
          return answer
        } catch (error) {
          const isRepetition = mayRepeat && isUnknown(error)
          if (!isRepetition && !isUnprocessed(error)) throw error
          if (isRepetition) mayRepeat = false
          remainingTokens = Math.max(0, remainingTokens - tokens.rejected)
          const milliseconds = (error.retryAfter ?? 1) * 1_000 * (1 + random() * jitter)
          paused += milliseconds
          if (retries >= maxRetries || paused > maxPause || remainingTokens <= tokens.max / 2) throw error
          await pause(clock, milliseconds, signal)
          signal?.throwIfAborted()
        }
      }
    },
  }
}

const isUnprocessed = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.unprocessed !== undefined

const isUnknown = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.status === 503 && error.outcome === 'unknown'

import { pause } from '../clock.ts'
import { ApiError } from './errors.ts'
import type { ResolvedClientOptions } from './options.ts'

/** Sends calls again that the service refused before it did anything for them. */
export interface RefusedRetry {
  /** @throws whatever the last try throws. */
  run<T>(call: () => Promise<T>, signal?: AbortSignal): Promise<T>
}

/** How often one call is sent again. */
const maxRetries = 2
/** For all pauses of one call together, milliseconds: somebody waits for a page. */
const maxPause = 6_000
/** Up to this part of the pause is added by chance: those who were refused together do not come back together. */
const jitter = 0.5

/**
 * While most calls are refused none is sent again: a service that has too much to do would get even more. Each refusal
 * takes a token, each call that succeeds gives half of one back; the limits are those of gRPC's retry throttling, scaled to
 * a web app (gRPC A6, "Throttling Retry Attempts and Hedged RPCs").
 */
const tokens = { max: 64, refused: 1, succeeded: 0.5 }

export function createRefusedRetry({ clock, random }: Pick<ResolvedClientOptions, 'clock' | 'random'>): RefusedRetry {
  let left = tokens.max

  return {
    async run(call, signal) {
      let paused = 0
      for (let retries = 0; ; retries += 1) {
        try {
          const answer = await call()
          left = Math.min(tokens.max, left + tokens.succeeded)
          return answer
        } catch (error) {
          if (!isUnprocessed(error)) throw error
          left = Math.max(0, left - tokens.refused)
          const milliseconds = (error.retryAfter ?? 1) * 1_000 * (1 + random() * jitter)
          paused += milliseconds
          if (retries >= maxRetries || paused > maxPause || left <= tokens.max / 2) throw error
          await pause(clock, milliseconds, signal)
          signal?.throwIfAborted()
        }
      }
    },
  }
}

const isUnprocessed = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.unprocessed !== undefined

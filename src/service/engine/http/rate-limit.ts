import type { Clock } from '../../../ground/clock.ts'
import { tooManyRequests } from '../base/problem.ts'

/** Limits the number of requests per second and caller. */
export interface RateLimiter {
  /**
   * Counts a request.
   * @returns headers that say what is left (draft-ietf-httpapi-ratelimit-headers).
   * @throws {ApiProblem} `api.error.toomanyrequests` when nothing is left.
   */
  take(caller: string): Readonly<Record<string, string>>
}

/** Seconds. */
const window = 1

/**
 * Counts in windows of one second within this process, because it limits load, which each process has for itself. Guesses
 * are counted in the database.
 *
 * @param name Name of the policy in the headers: what each budget belongs to.
 */
export function createRateLimiter(name: string, limit: number, clock: Pick<Clock, 'now'>): RateLimiter {
  let second = 0
  let counts = new Map<string, number>()

  return {
    take(caller) {
      const now = clock.now()
      if (now !== second) {
        second = now
        counts = new Map()
      }
      const count = (counts.get(caller) ?? 0) + 1
      counts.set(caller, count)
      const headers = {
        'RateLimit-Policy': `"${name}";q=${limit};w=${window}`,
        RateLimit: `"${name}";r=${Math.max(0, limit - count)};t=${window}`,
      }
      if (count > limit) {
        const each = name === 'key' ? 'API key' : name
        const reached = { limit: `at most ${limit} in a second for each ${each}`, wait: window, now }
        throw tooManyRequests(reached, headers)
      }
      return headers
    },
  }
}

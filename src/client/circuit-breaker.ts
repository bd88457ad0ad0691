import type { Clock } from '../ground/clock.ts'
import { UnreachableError } from './errors.ts'

/** Consecutive calls that timed out, with no answer to a later call, after which the service counts as down. */
const maxTimeouts = 5
/** How long no call is sent then, seconds. After that one call tries. */
const openPeriod = 5

/** How a call ended. Any answer in time counts, an error too: the service is up. `canceled` says nothing about it. */
export type CallResult = 'answered' | 'timeout' | 'canceled'

/** Stops calls to a service that does not answer, so that callers fail at once instead of waiting for a timeout. */
export function createCircuitBreaker(clock: Clock) {
  let timeouts = 0
  let started = 0
  /** The latest call that was answered: timeouts of earlier calls no longer count. */
  let lastAnswered = 0
  let openUntil: number | undefined
  // Two probes, as the answer to a held read says nothing for a long time, and other calls must not wait for it.
  const probing = { held: false, plain: false }
  const probeOf = (held: boolean) => (held ? 'held' : 'plain')

  /** @throws {UnreachableError} while the service counts as down. */
  function check(held: boolean): void {
    if (openUntil === undefined) return
    // If the clock was ahead and has been set back, the period does not get longer.
    openUntil = Math.min(openUntil, clock.now() + openPeriod)
    const wait = openUntil - clock.now()
    if (wait > 0 || probing[probeOf(held)]) {
      const retryAfter = Math.max(1, wait)
      throw new UnreachableError('timeout', 'The service did not respond to earlier calls.', { retryAfter })
    }
  }

  /** @returns the function that reports how the call ended. */
  function start(held: boolean): (result: CallResult) => void {
    const probe = openUntil !== undefined
    if (probe) probing[probeOf(held)] = true
    const order = ++started
    return (result) => {
      if (probe) probing[probeOf(held)] = false
      if (result === 'answered') {
        lastAnswered = Math.max(lastAnswered, order)
        timeouts = 0
        openUntil = undefined
      }
      if (result === 'timeout' && order > lastAnswered && ++timeouts >= maxTimeouts)
        openUntil = clock.now() + openPeriod
    }
  }

  return { check, start }
}

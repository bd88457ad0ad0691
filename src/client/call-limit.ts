import type { Clock } from '../ground/clock.ts'
import type { CallSlots, SlotRequest } from './call-slots.ts'
import { createCallSlots } from './call-slots.ts'
import { createCircuitBreaker } from './circuit-breaker.ts'

/** Protects callers from a service that does not answer: limits concurrent calls, and stops them while it is down. */
export interface CallLimit {
  /**
   * Runs a call as soon as a slot is free.
   *
   * @param call receives the signal that ends it when its time is over. That time starts when the call is sent: time
   *   spent in our own queue says nothing about the service.
   * @throws {UnreachableError} at once while the service counts as down, and when no slot was free in time.
   */
  run<T>(call: (timeout: AbortSignal) => Promise<T>, options: LimitedCall): Promise<T>
}

export interface CallLimits extends CallLimit {
  /** The limit of repeated reads: few at once, and each waits for a slot as long as its caller does. */
  readonly polls: CallLimit
}

export interface LimitedCall {
  /** Starts the time limit of the call, or of the wait for a slot. */
  readonly startTimeout: () => AbortSignal
  /** Cancels the call. */
  readonly signal?: AbortSignal | undefined
  /** The service holds the response on purpose. Takes no slot: otherwise people who wait would keep out those who act. */
  readonly held?: boolean
  /** Depends on another system, such as a mail server. Takes one of a few slots, so that the others stay free. */
  readonly slow?: boolean
  /** No person waits for this call: treated as one of `polls`. */
  readonly background?: boolean
}

/** The part of all slots that polls may take, and slow calls. */
const smallShare = 1 / 8

export interface CallLimitOptions {
  /** How many calls may be in flight. */
  readonly maxConcurrency: number
  readonly clock: Clock
  /** Returns the user for whom the present call is made; undefined where there is none, and so no share. */
  readonly currentCaller?: () => string | undefined
}

export function createCallLimit({ maxConcurrency, clock, currentCaller }: CallLimitOptions): CallLimits {
  const slots = createCallSlots(maxConcurrency)
  const smallSize = Math.max(1, Math.floor(maxConcurrency * smallShare))
  const [pollSlots, slowSlots] = [createCallSlots(smallSize), createCallSlots(smallSize)]
  const breaker = createCircuitBreaker(clock)

  function limitBy(acquire: (options: LimitedCall) => Promise<() => void>): CallLimit['run'] {
    return async (call, options) => {
      const { signal, held = false, startTimeout } = options
      breaker.check(held)
      const release = held ? () => {} : await acquire(options)
      try {
        // Again, as the service may have gone down while this call was in the queue.
        breaker.check(held)
        const report = breaker.start(held)
        const timeout = startTimeout()
        try {
          const answer = await call(timeout)
          report('answered')
          return answer
        } catch (error) {
          report(signal?.aborted ? 'canceled' : timeout.aborted ? 'timeout' : 'answered')
          throw error
        }
      } finally {
        release()
      }
    }
  }

  /** A slot of a share first, then one of all slots: the common queue never holds more calls than the share. */
  async function acquireBoth(share: CallSlots, request: SlotRequest): Promise<() => void> {
    const releaseShare = await share.acquire({ ...request, caller: undefined })
    try {
      const release = await slots.acquire(request)
      return () => {
        release()
        releaseShare()
      }
    } catch (error) {
      releaseShare()
      throw error
    }
  }

  const acquireForPoll = ({ signal }: LimitedCall) => acquireBoth(pollSlots, { signal })

  return {
    run: limitBy((options) => {
      const { startTimeout, signal, slow = false, background = false } = options
      if (background) return acquireForPoll(options)
      const request = { startTimeout, signal, caller: currentCaller?.() }
      return slow ? acquireBoth(slowSlots, request) : slots.acquire(request)
    }),
    polls: { run: limitBy(acquireForPoll) },
  }
}

import type { Clock } from '../clock.ts'
import { UnreachableError } from './errors.ts'

/** Keeps a service that gives no answers from tying up whoever asks it. */
export interface CallLimit {
  /**
   * Runs a call as soon as there is room.
   *
   * @throws {UnreachableError} at once while the service is taken for dead, and when there was no room in time.
   */
  run<T>(call: () => Promise<T>, given: LimitedCall): Promise<T>
}

export interface LimitedCall {
  /** Ends the call, and the waiting for room; its time has begun already. */
  readonly timeout: AbortSignal
  /** The caller's own end of it. */
  readonly signal?: AbortSignal | undefined
  /** An answer that is held on purpose takes no room: otherwise people who wait would keep out those who act. */
  readonly held?: boolean
}

/** Calls in a row without an answer in time, and none younger that had one, after which none is expected. */
const deadAfter = 5
/** Until one call tries again, seconds. */
const pause = 5

/** @param atOnce how many calls may be under way. */
export function createCallLimit({ atOnce, clock }: { atOnce: number; clock: Clock }): CallLimit {
  const room = createRoom(atOnce)
  const pulse = createPulse(clock)
  return {
    async run(call, { timeout, signal, held = false }) {
      pulse.check(held)
      const leave = held ? () => {} : await room.enter(timeout, signal)
      const end = pulse.begin(held, leave)
      try {
        const answer = await call()
        end('answered')
        return answer
      } catch (error) {
        // The caller's own end says nothing of the service.
        end(signal?.aborted ? 'left' : timeout.aborted ? 'unanswered' : 'answered')
        throw error
      } finally {
        leave()
      }
    },
  }
}

/** So many inside at once; the others stand in line, as long as they have time. */
function createRoom(size: number) {
  let inside = 0
  const line = new Set<() => void>()

  const leave = () => {
    const [next] = line
    if (next) next()
    else inside--
  }

  function enter(timeout: AbortSignal, signal: AbortSignal | undefined): Promise<() => void> {
    if (inside < size) {
      inside++
      return Promise.resolve(leave)
    }
    return new Promise((resolve, reject) => {
      const over = signal ? AbortSignal.any([timeout, signal]) : timeout
      const giveUp = () => {
        line.delete(comeIn)
        reject(
          signal?.aborted ? (signal.reason as Error) : new UnreachableError('no_room', 'There was no room in time.'),
        )
      }
      const comeIn = () => {
        line.delete(comeIn)
        over.removeEventListener('abort', giveUp)
        resolve(leave)
      }
      line.add(comeIn)
      over.addEventListener('abort', giveUp, { once: true })
      if (over.aborted) giveUp()
    })
  }

  return { enter }
}

/** Whether the service is alive, as far as its answers tell. Anything that comes in time is one, whatever it says. */
function createPulse(clock: Clock) {
  let unanswered = 0
  let begun = 0
  /** The youngest call that was answered: older ones that were not say nothing any more. */
  let answered = 0
  let deadUntil: number | undefined
  // Apart: an answer that is held on purpose says nothing for long, and the others must not wait for it.
  const probing = { held: false, plain: false }
  const kindOf = (held: boolean) => (held ? 'held' : 'plain')

  function check(held: boolean): void {
    if (deadUntil === undefined) return
    const left = deadUntil - clock.now()
    if (left > 0 || probing[kindOf(held)]) {
      throw new UnreachableError('timeout', 'The service did not answer before.', { retryAfter: Math.max(1, left) })
    }
  }

  /** @returns what is to be told how the call ended. */
  function begin(held: boolean, refused: () => void): (how: 'answered' | 'unanswered' | 'left') => void {
    try {
      // It may have died while this one stood in line.
      check(held)
    } catch (error) {
      refused()
      throw error
    }
    const probe = deadUntil !== undefined
    if (probe) probing[kindOf(held)] = true
    const order = ++begun
    return (how) => {
      if (probe) probing[kindOf(held)] = false
      if (how === 'answered') {
        answered = Math.max(answered, order)
        unanswered = 0
        deadUntil = undefined
      }
      if (how === 'unanswered' && order > answered && ++unanswered >= deadAfter) deadUntil = clock.now() + pause
    }
  }

  return { check, begin }
}

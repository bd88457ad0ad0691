import type { Clock } from '../clock.ts'
import { UnreachableError } from './errors.ts'

/** Keeps a service that gives no answers from tying up whoever asks it. */
export interface CallLimit {
  /**
   * Runs a call as soon as there is a free slot.
   *
   * @param call is given what ends it when its time is over. That time starts when the call is sent: what was spent in
   *   our own queue says nothing of the service.
   * @throws {UnreachableError} at once while the service is taken for dead, and when no slot was free in time.
   */
  run<T>(call: (timeout: AbortSignal) => Promise<T>, given: LimitedCall): Promise<T>
}

export interface CallLimits extends CallLimit {
  /** For what asks again and again: few at once, which wait for a slot as long as their caller does. */
  readonly polls: CallLimit
}

export interface LimitedCall {
  /** Starts the time that a call may take, or the wait for a slot. */
  readonly startTimeout: () => AbortSignal
  /** The caller's own end of it. */
  readonly signal?: AbortSignal | undefined
  /** An answer that is held on purpose takes no slot: otherwise people who wait would keep out those who act. */
  readonly held?: boolean
  /** A call that waits for somebody else than the service takes one of few slots, so that the others stay free. */
  readonly slow?: boolean
  /** A call for which nobody acts goes the way of `polls`. */
  readonly patient?: boolean
}

/** Calls in a row without an answer in time, and none younger that had one, after which none is expected. */
const deadAfter = 5
/** Until one call tries again, seconds. */
const pause = 5

/** The part of all slots that polls may have, and slow calls. */
const smallShare = 1 / 8

/** The part of all slots that the calls of one caller may have. */
const callerShare = 1 / 4
/** How many calls of one caller may queue; further ones are refused at once. */
const maxQueuedPerCaller = 64

export interface CallLimitOptions {
  /** How many calls may be under way. */
  readonly atOnce: number
  readonly clock: Clock
  /** On whose behalf the call is made that starts now; undefined: nobody in particular, who has no share of their own. */
  readonly callerOf?: () => string | undefined
}

export function createCallLimit({ atOnce, clock, callerOf = () => undefined }: CallLimitOptions): CallLimits {
  const slots = createSlots(atOnce)
  const few = Math.max(1, Math.floor(atOnce * smallShare))
  const [pollSlots, slowSlots] = [createSlots(few), createSlots(few)]
  const pulse = createPulse(clock)

  function limitBy(enter: (given: LimitedCall) => Promise<() => void>): CallLimit['run'] {
    return async (call, given) => {
      const { signal, held = false, startTimeout } = given
      pulse.check(held)
      const leave = held ? () => {} : await enter(given)
      const end = pulse.begin(held, leave)
      const timeout = startTimeout()
      try {
        const answer = await call(timeout)
        end('answered')
        return answer
      } catch (error) {
        // The caller's own end says nothing of the service.
        end(signal?.aborted ? 'left' : timeout.aborted ? 'unanswered' : 'answered')
        throw error
      } finally {
        leave()
      }
    }
  }

  /** A slot of a share, and then one of all: so never more than the share are in the common queue. */
  async function enterShare(share: typeof slots, { startTimeout, signal, caller }: Wait): Promise<() => void> {
    const leaveShare = await share.enter({ startTimeout, signal })
    try {
      const leave = await slots.enter({ startTimeout, signal, caller })
      return () => {
        leave()
        leaveShare()
      }
    } catch (error) {
      leaveShare()
      throw error
    }
  }

  const enterPatiently = ({ signal }: Wait) => enterShare(pollSlots, { signal })

  return {
    run: limitBy(({ startTimeout, signal, slow = false, patient = false }) => {
      if (patient) return enterPatiently({ signal })
      const wait = { startTimeout, signal, caller: callerOf() }
      return slow ? enterShare(slowSlots, wait) : slots.enter(wait)
    }),
    polls: { run: limitBy(enterPatiently) },
  }
}

/** A wait for a slot. */
interface Wait {
  /** Starts its time; without it the signal alone ends the wait. */
  readonly startTimeout?: (() => AbortSignal) | undefined
  readonly signal?: AbortSignal | undefined
  readonly caller?: string | undefined
}

/** What calls of one caller have and want. Those of nobody in particular have the name ''. */
interface Caller {
  taken: number
  readonly queue: Set<() => void>
}

/** So many calls at once; the others queue, as long as they have time. Callers take turns, and none has all slots. */
function createSlots(size: number) {
  const share = Math.max(1, Math.ceil(size * callerShare))
  const callers = new Map<string, Caller>()
  let taken = 0

  const isFree = (name: string, caller: Caller) => taken < size && (name === '' || caller.taken < share)

  function take(name: string, caller: Caller): () => void {
    taken++
    caller.taken++
    return () => {
      taken--
      caller.taken--
      forgetIdle(name, caller)
      serveNext()
    }
  }

  function forgetIdle(name: string, caller: Caller): void {
    if (caller.taken === 0 && caller.queue.size === 0 && callers.get(name) === caller) callers.delete(name)
  }

  function serveNext(): void {
    for (const [name, caller] of callers) {
      const [next] = caller.queue
      if (!next || !isFree(name, caller)) continue
      // Its next turn comes after everybody else's.
      callers.delete(name)
      callers.set(name, caller)
      next()
      return
    }
  }

  function enter({ startTimeout, signal, caller: name = '' }: Wait): Promise<() => void> {
    const caller = callers.get(name) ?? { taken: 0, queue: new Set() }
    callers.set(name, caller)
    if (isFree(name, caller) && caller.queue.size === 0) return Promise.resolve(take(name, caller))
    if (name !== '' && caller.queue.size >= maxQueuedPerCaller) {
      return Promise.reject(new UnreachableError('no_room', 'Too many calls of one user are waiting.'))
    }
    return new Promise((resolve, reject) => {
      const over = AbortSignal.any([startTimeout?.(), signal].filter((end) => end !== undefined))
      const giveUp = () => {
        caller.queue.delete(comeIn)
        forgetIdle(name, caller)
        reject(
          signal?.aborted
            ? (signal.reason as Error)
            : new UnreachableError('no_room', 'Timed out waiting for a free request slot.'),
        )
      }
      const comeIn = () => {
        caller.queue.delete(comeIn)
        over.removeEventListener('abort', giveUp)
        resolve(take(name, caller))
      }
      caller.queue.add(comeIn)
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
    // A clock that was ahead and is set back makes the pause no longer.
    deadUntil = Math.min(deadUntil, clock.now() + pause)
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

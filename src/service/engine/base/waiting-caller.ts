import { AsyncLocalStorage } from 'node:async_hooks'

import { CallerGoneError, StoreUnavailableError } from './store-errors.ts'

/** The caller who waits for a request, as the store needs to know them. */
export interface WaitingCaller {
  /** Whether the caller has hung up without a response. */
  readonly gone: () => boolean
  /** Whether nothing is sent to the caller any more. What the request has started may go on. */
  readonly answered: () => boolean
}

interface PresentCaller extends WaitingCaller {
  /** Whether a change was made for the caller already. */
  changed: boolean
  readonly time: {
    /** When the present step of the request first needed the database, as `performance.now()`. */
    since: number
    /** The units of work that are under way, and when the last one ended. */
    uses: number
    lastUse: number
  }
}

const callers = new AsyncLocalStorage<PresentCaller | undefined>()

/** Makes all changes in `run` those of a caller. */
export function onBehalfOf<T>(caller: WaitingCaller, run: () => T): T {
  return callers.run({ ...caller, changed: false, time: { since: -Infinity, uses: 0, lastUse: -Infinity } }, run)
}

/** Makes the changes in `run` those of no caller in particular. */
export function withoutCaller<T>(run: () => T): T {
  return callers.run(undefined, run)
}

/** A change that waits for its turn. */
export interface WaitingChange {
  /** @throws {CallerGoneError} when the caller has hung up since the change began to wait. */
  readonly requireCaller: () => void
  /** The change is being made: what follows it must be made as well. */
  begin(): void
}

/**
 * Watches whether a change that begins to wait now is still wanted when its turn comes. Only the first change of a
 * request can be dropped: a later one completes it, such as the count of a wrong PIN. Work that a request has started and
 * that outlives it is never dropped either, because its caller is gone from the beginning.
 */
export function watchCaller(): WaitingChange {
  const caller = callers.getStore()
  if (!caller || caller.changed || caller.gone()) return unconditional
  return {
    requireCaller: () => {
      if (!caller.changed && caller.gone()) throw new CallerGoneError('The caller has hung up.')
    },
    begin: () => void (caller.changed = true),
  }
}

const unconditional: WaitingChange = { requireCaller: () => {}, begin() {} }

/** A unit of work at the database, from the moment when it begins to wait for its turn. */
export interface DatabaseUse {
  /** Whether a request waits for it. */
  readonly isForCaller: boolean
  /**
   * Milliseconds.
   *
   * @throws {StoreUnavailableError} when none is left: the work is not begun.
   */
  readonly timeLeft: () => number
  /** The unit of work is over. */
  readonly end: () => void
}

/** A request that has used no database for so long has waited for something else, milliseconds. */
const maxGap = 250

/**
 * Begins a unit of work. All those of one request share one limit, with their queues and retries, so that a database that hangs does not
 * hold up a caller once for each of them. The limit counts from the first unit, and anew after a pause of {@link maxGap} or a step. Work
 * that outlives its request, and work of no request, has the whole limit each time.
 *
 * @param limit Milliseconds.
 * @throws {StoreUnavailableError} when no time is left.
 */
export function useDatabase(limit: number): DatabaseUse {
  const caller = callers.getStore()
  if (!caller || caller.answered()) return { isForCaller: false, timeLeft: () => limit, end() {} }
  const { time } = caller
  const now = performance.now()
  if (time.uses === 0 && now - time.lastUse > maxGap) time.since = now
  const { since } = time
  const timeLeft = () => {
    const remaining = limit - (performance.now() - since)
    if (remaining <= 0) throw new StoreUnavailableError('The request has used up its time at the database.')
    return remaining
  }
  timeLeft()
  time.uses += 1
  let isOver = false
  const end = () => {
    if (isOver) return
    isOver = true
    time.uses -= 1
    time.lastUse = performance.now()
  }
  return { isForCaller: true, timeLeft, end }
}

/**
 * Waits for work of the present request as long as that has time left.
 *
 * @throws {StoreUnavailableError} when the time is up. The work may still go on: only what has not begun by then never does.
 */
export async function withinTime<T>({ isForCaller, timeLeft }: DatabaseUse, work: Promise<T>): Promise<T> {
  if (!isForCaller) return work
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    const tell = () => reject(new StoreUnavailableError('Timed out waiting for the database.'))
    timer = setTimeout(tell, timeLeft())
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

/** The present request goes on with the next of many steps, each of which is short: it has its whole time at the database again. */
export function beginStep(): void {
  const caller = callers.getStore()
  if (caller) caller.time.since = performance.now()
}

import { AsyncLocalStorage } from 'node:async_hooks'

import { CallerGoneError, StoreUnavailableError } from './store-errors.ts'

/** The caller of a request, as the store needs to know them. */
export interface Caller {
  /** Whether the caller has hung up without a response. */
  readonly gone: () => boolean
}

interface PresentCaller extends Caller {
  /** Whether a change was made for the caller already. */
  changed: boolean
  /** When the present step of the request first needed the database, as `performance.now()`; undefined before that. */
  since: number | undefined
}

const callers = new AsyncLocalStorage<PresentCaller | undefined>()

/** Makes all changes in `run` those of a caller. */
export function onBehalfOf<T>(caller: Caller, run: () => T): T {
  return callers.run({ ...caller, changed: false, since: undefined }, run)
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

/**
 * The time that the present request has left at the database. All its units of work share one limit, with their queues and retries, so
 * that a database that hangs does not hold up a caller once for each of them. The time runs from the first unit.
 *
 * @param limit Milliseconds, also the result for work that has no caller.
 * @throws {StoreUnavailableError} when none is left: the work is not begun.
 */
export function timeLeft(limit: number): number {
  const caller = callers.getStore()
  if (!caller) return limit
  const now = performance.now()
  caller.since ??= now
  const remaining = limit - (now - caller.since)
  if (remaining <= 0) throw new StoreUnavailableError('The request has used up its time at the database.')
  return remaining
}

/**
 * Waits for work of the present request as long as that has time left.
 *
 * @param limit Milliseconds, as for {@link timeLeft}; work without a caller is waited for in any case.
 * @throws {StoreUnavailableError} when the time is up. The work may still go on: only what has not begun by then never does.
 */
export async function withinTime<T>(limit: number, work: Promise<T>): Promise<T> {
  if (!callers.getStore()) return work
  let timer: NodeJS.Timeout | undefined
  const end = new Promise<never>((_resolve, reject) => {
    const late = () => reject(new StoreUnavailableError('Timed out waiting for the database.'))
    timer = setTimeout(late, timeLeft(limit))
  })
  try {
    return await Promise.race([work, end])
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Gives the present request its whole time again: it has waited for something else than the database, or goes on with the next of many
 * steps, each of which is short.
 */
export function beginStep(): void {
  const caller = callers.getStore()
  if (caller) caller.since = undefined
}

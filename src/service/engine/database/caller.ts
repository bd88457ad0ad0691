import { AsyncLocalStorage } from 'node:async_hooks'

import { CallerGoneError } from '../base/store-errors.ts'

/** The caller of a request, as the store needs to know them. */
export interface Caller {
  /** Whether the caller has hung up without a response. */
  readonly gone: () => boolean
}

interface PresentCaller extends Caller {
  /** Whether a change was made for the caller already. */
  changed: boolean
}

const callers = new AsyncLocalStorage<PresentCaller | undefined>()

/** Makes all changes in `run` those of a caller. */
export function onBehalfOf<T>(caller: Caller, run: () => T): T {
  return callers.run({ ...caller, changed: false }, run)
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

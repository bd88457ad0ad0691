import type BetterSqlite3 from 'better-sqlite3'

import { watchCaller } from './caller.ts'
import { whileBusy } from './sqlite-busy.ts'

/** The one connection that writes. One change at a time has it, in the order of arrival. */
export interface Writer {
  readonly database: BetterSqlite3.Database
  /**
   * Waits for the turn of a change and begins it; `release` ends it.
   *
   * @throws {StoreUnavailableError} when the caller hangs up meanwhile.
   * @throws {Error} of SQLite when another process keeps the file locked.
   */
  acquire<T>(begin: () => T): Promise<T>
  release(): void
}

/** @param patience How long after its arrival a change gives up while another process locks the file, milliseconds. */
export function createWriter(database: BetterSqlite3.Database, patience: () => number): Writer {
  const waiting: (() => void)[] = []
  let taken = false

  const release = () => {
    const next = waiting.shift()
    if (next) next()
    else taken = false
  }

  return {
    database,
    async acquire(begin) {
      const change = watchCaller()
      // From its arrival, not from its turn: those behind a change that has waited in vain do not wait as long again.
      const until = performance.now() + patience()
      if (taken) await new Promise<void>((resolve) => void waiting.push(resolve))
      taken = true
      try {
        const begun = await whileBusy(until, begin, change.requireCaller)
        change.begin()
        return begun
      } catch (error) {
        release()
        throw error
      }
    },
    release,
  }
}

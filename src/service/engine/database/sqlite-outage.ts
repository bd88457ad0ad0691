import { setTimeout as pause } from 'node:timers/promises'

import { StoreUnavailableError } from '../base/store-errors.ts'

/** The errors of SQLite when the machine, and not the statement, is at fault (sqlite.org/rescode.html). */
const outages = [
  ['SQLITE_BUSY', 'Another process kept the database file locked.'],
  ['SQLITE_FULL', 'The disk is full.'],
  // The index of the log of changes cannot be enlarged.
  ['SQLITE_IOERR_SHMSIZE', 'The disk is full.'],
  ['SQLITE_IOERR', 'The disk reports an error.'],
  ['SQLITE_READONLY', 'The database file cannot be written.'],
  // Such as the log of changes, when the process has no file descriptors left.
  ['SQLITE_CANTOPEN', 'The database file cannot be opened.'],
] as const

/** Names the outage behind an error of SQLite. All other errors stay as they are. */
export function nameSqliteOutage(error: unknown): unknown {
  const code = codeOf(error)
  const outage = outages.find(([prefix]) => code.startsWith(prefix))
  return outage ? new StoreUnavailableError(outage[1], { cause: error }) : error
}

export const isDiskError = (error: unknown): boolean => codeOf(error).startsWith('SQLITE_IOERR')

const isBusy = (error: unknown): boolean => codeOf(error).startsWith('SQLITE_BUSY')

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')

/** Milliseconds. */
const maxPause = 40

/**
 * Tries again while another process locks the file, leaving the event loop to others in between.
 *
 * @param until Time of `performance.now()` at which the last attempt is made.
 * @param beforeAttempt Called before each attempt; throws to give up.
 * @throws {Error} of SQLite when the file is still locked then.
 */
export async function whileBusy<T>(until: number, attempt: () => T, beforeAttempt: () => void = () => {}): Promise<T> {
  for (let delay = 1; ; delay = Math.min(delay * 2, maxPause)) {
    beforeAttempt()
    try {
      return attempt()
    } catch (error) {
      if (!isBusy(error) || performance.now() >= until) throw error
    }
    // The pause is random, so that waiting processes do not retry in step.
    await pause(Math.min(delay * (0.5 + Math.random() / 2), Math.max(1, until - performance.now())))
  }
}

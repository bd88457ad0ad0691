import { setTimeout as pause } from 'node:timers/promises'

import { isBusy } from './sqlite-outage.ts'

/** Milliseconds. */
const maxPause = 40

/**
 * Tries again while another process locks the file, leaving the event loop to others in between.
 *
 * @param until Time of `performance.now()` at which the last attempt is made.
 * @param given Called before each attempt; throws to give up.
 * @throws {Error} of SQLite when the file is still locked then.
 */
export async function whileBusy<T>(until: number, attempt: () => T, given: () => void = () => {}): Promise<T> {
  for (let delay = 1; ; delay = Math.min(delay * 2, maxPause)) {
    given()
    try {
      return attempt()
    } catch (error) {
      if (!isBusy(error) || performance.now() >= until) throw error
    }
    // Out of step with other processes that wait.
    await pause(Math.min(delay * (0.5 + Math.random() / 2), Math.max(1, until - performance.now())))
  }
}

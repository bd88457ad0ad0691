import { setTimeout as pause } from 'node:timers/promises'

import { StoreUnavailableError } from './store.ts'

/** Longer than any write of ours takes; milliseconds. */
const patience = 5_000
const longestPause = 40

/** Tries again while another process writes, leaving the event loop to others in between. */
export async function whileBusy<T>(attempt: () => T | Promise<T>): Promise<T> {
  const end = performance.now() + patience
  for (let delay = 1; ; delay = Math.min(delay * 2, longestPause)) {
    try {
      return await attempt()
    } catch (error) {
      if (!isBusy(error)) throw error
      if (performance.now() >= end) throw new StoreUnavailableError('The database stayed locked.', { cause: error })
    }
    // Not in step with whoever else waits.
    await pause(delay * (0.5 + Math.random() / 2))
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('SQLITE_BUSY')
}

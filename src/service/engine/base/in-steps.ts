import { setTimeout as pause } from 'node:timers/promises'

import { beginStep } from './waiting-caller.ts'

/** The pause relative to the duration of a step: a sweep uses at most a fifth of the time. */
const pausePerStep = 4
/** The longest pause, milliseconds: longer pauses would not help a slow database. */
const maxPause = 100

interface Steps {
  /** The most rows that a step touches. */
  readonly size: number
  /** Stops after the current step. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Repeats a step until it finds fewer rows than its limit. On SQLite all other work waits for a step. Requests run between two
 * steps: during the pause, and before each BEGIN, which waits for two turns of the event loop. The pause uses the machine's
 * timers, because an injected clock may stand still.
 *
 * @returns the number of rows.
 */
export async function inSteps({ size, signal }: Steps, step: () => Promise<number>): Promise<number> {
  for (let all = 0; ;) {
    const start = performance.now()
    const count = await step()
    all += count
    if (count < size || signal?.aborted === true) return all
    await pause(Math.min(maxPause, (performance.now() - start) * pausePerStep))
    beginStep()
  }
}

import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'

/** How much longer others have than a step took, so that a sweep takes a fifth of the time at most. */
const pausePerStep = 4
/** Milliseconds: a database that is slow by itself gets no slower by waiting longer. */
const maxPause = 100

interface Steps {
  /** Rows that a step touches, at most. */
  readonly size: number
  /** Ends it after the step that is under way. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Repeats a step until it finds fewer rows than it may touch. On SQLite everybody waits for a step, so requests have their
 * turn between two of them; timers of the machine say when, because the clock that the service is given may stand still.
 *
 * @returns how many rows there were.
 */
export async function inSteps({ size, signal }: Steps, step: () => Promise<number>): Promise<number> {
  for (let all = 0; ;) {
    const begun = performance.now()
    const count = await step()
    all += count
    await nextTurn()
    if (count < size || signal?.aborted === true) return all
    await pause(Math.min(maxPause, (performance.now() - begun) * pausePerStep))
  }
}

import { clockSkew } from '../../clock.ts'

/**
 * What the clock of a machine dated while it was ahead lies in the future once the clock is right again. Two rules keep it
 * from staying there; all times are Unix seconds.
 *
 * 1. What only makes people wait ends at `min(until, now + length)`: see `endOfWait`. Such rows are brought to the present
 *    as soon as the clock is seen to be set back, so that this end does not move on with the time.
 * 2. What lets people in counts only once it has begun: see `latestBeginning`.
 */

/** What began later than this was dated by a clock that was ahead, and lets nobody in. */
export const latestBeginning = (now: number): number => now + clockSkew

/** When a wait is over that began and ends at these times: it never lasts longer than its length from now. */
export function endOfWait({ from, until }: { readonly from: number; readonly until: number }, now: number): number {
  return until - Math.max(0, from - now)
}

/** When something happened, as far as waits are concerned: not later than now. */
export const notAfter = (time: number, now: number): number => Math.min(time, now)

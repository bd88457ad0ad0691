import { clockSkew } from '../../../ground/clock.ts'

/**
 * Times that a clock set while it was ahead are in the future once the clock is corrected. Two rules keep them from staying
 * there; all times are Unix seconds.
 *
 * 1. Times that only make users wait end at `min(until, now + length)`: see `endOfWait`. Such rows are corrected as soon as
 * the clock is seen to be set back, so that this end does not move along with the time.
 * 2. Times that grant access count only once they have begun: see `latestBeginning`.
 */

/** A time after this was set by a clock that was ahead, and grants nothing. */
export const latestBeginning = (now: number): number => now + clockSkew

/** The end of a wait with this beginning and end: never later than its length from now. */
export function endOfWait({ from, until }: { readonly from: number; readonly until: number }, now: number): number {
  return until - Math.max(0, from - now)
}

/** The time of an event as far as waits are concerned: never later than now. */
export const notAfter = (time: number, now: number): number => Math.min(time, now)

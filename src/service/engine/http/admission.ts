import type { Reader } from '../base/reader.ts'
import type { Urgency } from './urgency.ts'

/** Rejects requests that would only delay all others. */
export interface Admission {
  /**
   * Admits a request.
   * @returns a function to call when the request is answered or starts to wait; undefined if the request is rejected.
   */
  enter(urgency: Urgency): (() => void) | undefined
}

export interface AdmissionOptions {
  /** The most requests that are processed concurrently. */
  readonly max: number
  /** While the median request takes longer than this, fewer requests are processed concurrently. Milliseconds. */
  readonly responseTime: number
  /** Monotonic, milliseconds. */
  readonly now: () => number
  /** Calls back at the end of this turn of the event loop. */
  readonly afterTurn: (callback: () => void) => void
}

/** The lowest limit: more than there are database connections, so a lower one would gain nothing. */
const fewest = 16
/** The limit is reviewed after this time and number of requests; milliseconds. */
const reviewAfter = { time: 100, requests: 8 }
/** The time after which learned limits are discarded without a review, milliseconds. */
const forgetAfter = 10_000
/** The limit falls faster than it rises, as in TCP (RFC 5681, additive increase and multiplicative decrease). */
const [decrease, increase] = [0.7, 1.1]
/** The share of `responseTime` during which one turn of the event loop admits requests. */
const turnShare = 0.5
/** The factor by which requests of a sign-in in progress may exceed the limit. */
const continuingShare = 2

/**
 * Limits the number of concurrent requests, and adapts the limit to their duration: requests that wait in our own queue are
 * late for all callers. Held requests wait for users and do not count.
 */
export function createAdmission({ max, responseTime, now, afterTurn }: AdmissionOptions): Admission {
  const min = Math.min(fewest, max)
  let limit = max
  let working = 0
  let peak = 0
  let reviewedAt = now()
  let durations: number[] = []
  let turnBegan: number | undefined

  /** How long this turn of the event loop has lasted, which is how long the requests read in it have waited. */
  function turnTime(time: number): number {
    if (turnBegan === undefined) {
      turnBegan = time
      afterTurn(() => (turnBegan = undefined))
    }
    return time - turnBegan
  }

  function review(): void {
    const time = now()
    if (time - reviewedAt < reviewAfter.time || durations.length < reviewAfter.requests) return
    const median = durations.toSorted((a, b) => a - b)[durations.length >> 1] ?? 0
    if (median > responseTime) limit = Math.max(min, Math.floor(limit * decrease))
    else if (peak >= limit) limit = Math.min(max, Math.ceil(limit * increase))
    restart(time)
  }

  function restart(time: number): void {
    reviewedAt = time
    durations = []
    peak = working
  }

  const shareOf: Readonly<Record<Urgency, number>> = {
    begins: 1,
    continues: continuingShare,
    finishes: Number.POSITIVE_INFINITY,
  }

  return {
    enter(urgency) {
      const start = now()
      if (start - reviewedAt > forgetAfter) {
        limit = max
        restart(start)
      }
      const share = shareOf[urgency]
      if (working >= limit * share || turnTime(start) > responseTime * turnShare * share) return undefined
      working += 1
      peak = Math.max(peak, working)
      let hasLeft = false
      return () => {
        if (hasLeft) return
        hasLeft = true
        working -= 1
        // Reads are quick even when everything else is slow.
        if (urgency !== 'continues') durations.push(now() - start)
        review()
      }
    },
  }
}

/** Stored on the reader itself: a WeakMap by reader would take more time in each garbage collection. */
const leaving = Symbol('leaving')

interface AdmittedRequest extends Reader {
  [leaving]?: () => void
}

/** Registers a function to call when the request starts to wait. */
export function onWaiting(reader: AdmittedRequest, leave: () => void): void {
  reader[leaving] = leave
}

/** Called when the request begins to wait for an event: it then uses no capacity. */
export function startsWaiting(reader: AdmittedRequest): void {
  reader[leaving]?.()
}

import type { ServerResponse } from 'node:http'

import type { Urgency } from './urgency.ts'

/** Refuses requests that would only make all others wait. */
export interface Admission {
  /**
   * Takes up a request.
   * @returns what is called once it is answered, or waits for something; undefined where it is refused.
   */
  enter(urgency: Urgency): (() => void) | undefined
}

export interface AdmissionOptions {
  /** How many requests are worked on at once at most. */
  readonly max: number
  /** While half of the requests take longer than this, fewer are worked on at once. Milliseconds. */
  readonly responseTime: number
  /** Monotonic, milliseconds. */
  readonly now: () => number
  /** Calls back when this turn of the event loop is over. */
  readonly afterTurn: (callback: () => void) => void
}

/** Below this nothing is gained: it is more than the connections to the database. */
const fewest = 16
/** How long, and how many requests, the limit stays before it is reviewed; milliseconds. */
const reviewAfter = { time: 100, requests: 8 }
/** After so long without a review what was learned is out of date, milliseconds. */
const forgetAfter = 10_000
/** The limit goes down faster than it goes up, as in TCP (RFC 5681, additive increase and multiplicative decrease). */
const [decrease, increase] = [0.7, 1.1]
/** The part of `responseTime` for which one turn of the event loop takes up requests. */
const turnShare = 0.5
/** By how much those who belong to a sign-in under way may exceed the limit. */
const continuingShare = 2

/**
 * Limits how many requests are worked on at once, and adapts the limit to how long they take: what waits in a queue of ours
 * is late for everybody. Requests that are held wait for people, and do not count.
 */
export function createAdmission({ max, responseTime, now, afterTurn }: AdmissionOptions): Admission {
  const min = Math.min(fewest, max)
  let limit = max
  let working = 0
  let peak = 0
  let reviewedAt = now()
  let durations: number[] = []
  let turnBegan: number | undefined

  /** How long this turn of the event loop has lasted: so long did requests wait that are read in it. */
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
      const begun = now()
      if (begun - reviewedAt > forgetAfter) {
        limit = max
        restart(begun)
      }
      const share = shareOf[urgency]
      if (working >= limit * share || turnTime(begun) > responseTime * turnShare * share) return undefined
      working += 1
      peak = Math.max(peak, working)
      let left = false
      return () => {
        if (left) return
        left = true
        working -= 1
        // What only reads is quick even where everything else is late.
        if (urgency !== 'continues') durations.push(now() - begun)
        review()
      }
    },
  }
}

const leaving = new WeakMap<ServerResponse, () => void>()

/** Says what is called when a request waits for something. */
export function onWaiting(res: ServerResponse, leave: () => void): void {
  leaving.set(res, leave)
}

/** From now on this request waits for something that has not happened yet, and nothing is done for it. */
export function startsWaiting(res: ServerResponse): void {
  leaving.get(res)?.()
}

import type { Clock } from '../../../src/ground/clock.ts'

/** The machine's clock, which can be told that days have passed. */
export interface LeapingClock extends Clock {
  /** What falls due on the way is called back at once. */
  leap(seconds: number): void
}

export function createLeapingClock(): LeapingClock {
  const timers = new Map<NodeJS.Timeout, { readonly due: number; readonly callback: () => void }>()
  let leapt = 0
  const milliseconds = () => Date.now() + leapt

  return {
    now: () => Math.floor(milliseconds() / 1000),
    after(delay, callback) {
      const timer = setTimeout(() => {
        timers.delete(timer)
        callback()
      }, delay).unref()
      timers.set(timer, { due: milliseconds() + delay, callback })
      return () => {
        clearTimeout(timer)
        timers.delete(timer)
      }
    },
    leap(seconds) {
      leapt += seconds * 1000
      for (const [timer, { due, callback }] of Array.from(timers)) {
        if (due > milliseconds()) continue
        clearTimeout(timer)
        timers.delete(timer)
        callback()
      }
    },
  }
}

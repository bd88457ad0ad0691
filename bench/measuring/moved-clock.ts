import type { Clock } from '../../src/ground/clock.ts'

/** The machine's clock, which can be moved forward: each code works once, and the next one is valid 30 s later. */
export function createMovedClock(): Clock & { move(seconds: number): void } {
  let moved = 0
  return {
    now: () => Math.floor(Date.now() / 1000) + moved,
    after(milliseconds, callback) {
      const timer = setTimeout(callback, milliseconds)
      return () => clearTimeout(timer)
    },
    move(seconds) {
      moved += seconds
    },
  }
}

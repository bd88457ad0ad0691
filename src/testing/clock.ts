import type { Clock } from '../ground/clock.ts'

/** A clock that stands still until it is moved. */
export interface TestClock extends Clock {
  /**
   * Advances time, runs the timers that become due in order, and waits for the promises that they start.
   * @throws {RangeError} for what is no number of seconds.
   */
  advance(seconds: number): Promise<void>
}

/** The year 5138. What is later was probably meant as milliseconds; Unix time, seconds. */
const maxStart = 100_000_000_000

/**
 * @param start Unix time, seconds; the machine's time by default.
 * @throws {RangeError} for what is no such time.
 */
export function createTestClock(start = Math.floor(Date.now() / 1000)): TestClock {
  if (!(Number.isFinite(start) && start >= 0 && start < maxStart)) {
    throw new RangeError(`createTestClock: start is a Unix time in seconds; was ${start} meant as milliseconds?`)
  }
  let now = start * 1000
  const timers = new Set<{ readonly due: number; readonly callback: () => void }>()

  return {
    now: () => Math.floor(now / 1000),
    after(milliseconds, callback) {
      const timer = { due: now + milliseconds, callback }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    async advance(seconds) {
      if (!(Number.isFinite(seconds) && seconds >= 0)) {
        throw new RangeError(`clock.advance: needs a number of seconds, such as 300, got ${seconds}`)
      }
      const end = now + seconds * 1000
      for (let next = earliest(timers, end); next; next = earliest(timers, end)) {
        timers.delete(next)
        now = Math.max(now, next.due)
        next.callback()
        await settled()
      }
      now = end
      await settled()
    },
  }
}

function earliest<T extends { readonly due: number }>(timers: ReadonlySet<T>, end: number): T | undefined {
  return [...timers].filter((timer) => timer.due <= end).sort((a, b) => a.due - b.due)[0]
}

/** Read now: fake timers of a test would never call back. */
const { setImmediate } = globalThis

/** One turn of the event loop, so that promises that a callback started can continue. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

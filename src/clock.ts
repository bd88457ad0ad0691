/** Time, as everything in this package sees it. Tests hand in one they move by hand. */
export interface Clock {
  /** Unix time, whole seconds. */
  now(): number
  /** Calls back once after so many milliseconds; the answer cancels it. */
  after(milliseconds: number, callback: () => void): () => void
}

/** Lets time pass; an abort ends it early, without an error. */
export async function pause(clock: Clock, milliseconds: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return
  await new Promise<void>((resolve) => {
    const done = () => {
      cancel()
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const cancel = clock.after(milliseconds, done)
    signal?.addEventListener('abort', done)
  })
}

/** How far the clocks of machines that work together may differ, seconds. What is dated later than that is from a clock that was ahead. */
export const clockSkew = 60

/** Whether it is before an end that is no further away than a length of time: one that was set by a clock that was ahead is. */
export const isBeforeEnd = (until: number, length: number, now: number): boolean =>
  now < until && until - now <= length + clockSkew

/** The longest time `setTimeout` takes, milliseconds: a longer one fires after 1 ms (WHATWG HTML section 8.6, a signed 32-bit number). */
export const longestTimer = 2 ** 31 - 1

const unixTime = () => Math.floor(Date.now() / 1000)

/** The machine's clock. Its timers never keep a process alive. */
export const systemClock: Clock = {
  now: unixTime,
  after: (milliseconds, callback) => startTimer(milliseconds, callback, (timer) => timer.unref?.()),
}

/** The machine's clock for a command: its timers keep the process alive, so that a command that waits is not ended. */
export const commandClock: Clock = {
  now: unixTime,
  after: (milliseconds, callback) => startTimer(milliseconds, callback, () => {}),
}

/** A timer that may be longer than those of the platform. @returns what cancels it. */
function startTimer(
  milliseconds: number,
  callback: () => void,
  started: (timer: ReturnType<typeof setTimeout>) => void,
): () => void {
  let timer: ReturnType<typeof setTimeout>
  const wait = (left: number) => {
    const step = Math.min(left, longestTimer)
    timer = setTimeout(() => (left > step ? wait(left - step) : callback()), step)
    started(timer)
  }
  wait(milliseconds)
  return () => clearTimeout(timer)
}

/**
 * Reads `Retry-After`: seconds or an HTTP date (RFC 9110 section 10.2.3). Up to twelve digits are read: codes that only
 * an administrator unlocks are locked until the year 9999, which is eleven or twelve digits away.
 *
 * @param now Unix time, seconds.
 * @returns seconds from now, never less than 0; undefined where the header is absent or is neither.
 */
export function readRetryAfter(header: string | null | undefined, now: number): number | undefined {
  if (header === null || header === undefined) return undefined
  if (/^\d+$/.test(header)) return header.length <= 12 ? Number(header) : undefined
  // All three forms of a date begin with the name of a day (RFC 9110 section 5.6.7); `Date.parse` reads far more.
  const milliseconds = /^[A-Z][a-z]+,? /.test(header) ? Date.parse(header) : Number.NaN
  return Number.isNaN(milliseconds) ? undefined : Math.max(0, Math.floor(milliseconds / 1000) - now)
}

/** The source of time for the whole package. Tests pass in a clock that they move by hand. */
export interface Clock {
  /** Unix time, whole seconds. */
  now(): number
  /** Calls back once, after a number of milliseconds. @returns the function that cancels it. */
  after(milliseconds: number, callback: () => void): () => void
}

/** Waits; an abort ends the wait early, without an error. */
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

/** Calls back again and again, each time after so many milliseconds. @returns what stops it. */
export function repeat(clock: Clock, milliseconds: number, callback: () => void): () => void {
  let cancel = clock.after(milliseconds, next)
  function next(): void {
    cancel = clock.after(milliseconds, next)
    callback()
  }
  return () => cancel()
}

/** How far the clocks of two machines may differ, seconds. A date further in the future comes from a clock that was ahead. */
export const clockSkew = 60

/**
 * Whether a period still runs. An end further away than the whole `length` was set by a clock that was ahead: it does not
 * count.
 */
export const isBeforeEnd = (until: number, length: number, now: number): boolean =>
  now < until && until - now <= length + clockSkew

/** The longest `setTimeout`, milliseconds: a longer one fires after 1 ms (WHATWG HTML section 8.6, a signed 32-bit number). */
export const maxTimer = 2 ** 31 - 1

const unixTime = () => Math.floor(Date.now() / 1000)

/** The machine's clock. Its timers never keep a process alive. */
export const systemClock: Clock = {
  now: unixTime,
  after: (milliseconds, callback) => startTimer(milliseconds, callback, (timer) => timer.unref?.()),
}

/** The machine's clock for a command: its timers keep the process alive while the command waits. */
export const commandClock: Clock = {
  now: unixTime,
  after: (milliseconds, callback) => startTimer(milliseconds, callback, () => {}),
}

/** Starts a timer of any length. @returns the function that cancels it. */
function startTimer(
  milliseconds: number,
  callback: () => void,
  onStart: (timer: ReturnType<typeof setTimeout>) => void,
): () => void {
  let timer: ReturnType<typeof setTimeout>
  const wait = (remaining: number) => {
    const step = Math.min(remaining, maxTimer)
    timer = setTimeout(() => (remaining > step ? wait(remaining - step) : callback()), step)
    onStart(timer)
  }
  wait(milliseconds)
  return () => clearTimeout(timer)
}

/**
 * Reads `Retry-After`: seconds or an HTTP date (RFC 9110 section 10.2.3). Seconds may have twelve digits: codes that only an
 * administrator can unlock are locked until the year 9999.
 *
 * @param now Unix time, seconds.
 * @returns seconds from now, never less than 0; undefined where the header is absent or invalid.
 */
export function readRetryAfter(header: string | null | undefined, now: number): number | undefined {
  if (header === null || header === undefined) return undefined
  if (/^\d+$/.test(header)) return header.length <= 12 ? Number(header) : undefined
  // All three date formats start with the name of a day (RFC 9110 section 5.6.7); `Date.parse` accepts far more.
  const milliseconds = /^[A-Z][a-z]+,? /.test(header) ? Date.parse(header) : Number.NaN
  return Number.isNaN(milliseconds) ? undefined : Math.max(0, Math.floor(milliseconds / 1000) - now)
}

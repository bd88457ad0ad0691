/** Time, as everything in this package sees it. Tests hand in one they move by hand. */
export interface Clock {
  /** Unix time, whole seconds. */
  now(): number
  /** Calls back once after so many milliseconds; the answer cancels it. */
  after(milliseconds: number, callback: () => void): () => void
}

/** The machine's clock. Its timers never keep a process alive. */
export const systemClock: Clock = {
  now: () => Math.floor(Date.now() / 1000),
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds)
    timer.unref?.()
    return () => clearTimeout(timer)
  },
}

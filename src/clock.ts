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

/** The machine's clock. Its timers never keep a process alive. */
export const systemClock: Clock = {
  now: () => Math.floor(Date.now() / 1000),
  after(milliseconds, callback) {
    const timer = setTimeout(callback, milliseconds)
    timer.unref?.()
    return () => clearTimeout(timer)
  },
}

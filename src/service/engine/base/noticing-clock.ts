import type { Clock } from '../../../ground/clock.ts'

/** A clock that detects when it is set back. */
export interface NoticingClock extends Clock {
  /** Whether the time has gone backwards since the last call. */
  wasSetBack(): boolean
}

export function createNoticingClock(clock: Clock): NoticingClock {
  let latest = 0
  const now = () => {
    const time = clock.now()
    latest = Math.max(latest, time)
    return time
  }
  return {
    now,
    after: (milliseconds, callback) => clock.after(milliseconds, callback),
    wasSetBack() {
      const time = now()
      const wasLater = latest > time
      latest = time
      return wasLater
    },
  }
}

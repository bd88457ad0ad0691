import type { Clock } from '../../clock.ts'

/** A clock that notices when it is set back. */
export interface NoticingClock extends Clock {
  /** Whether it has told a later time than it tells now, since this was asked the last time. */
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

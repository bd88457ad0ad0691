import type { Clock } from '../../../ground/clock.ts'

/** Keeps lines that callers can cause from filling the log. */
export interface LogLimit {
  /** Whether to write a line about the subject: once in each period. */
  admits(subject: string): boolean
}

/** @param period Seconds. */
export function createLogLimit(clock: Pick<Clock, 'now'>, period = 60): LogLimit {
  let periodStart = 0
  let writtenSubjects = new Set<string>()

  return {
    admits(subject) {
      const now = clock.now()
      // A clock that is set back starts a new period too.
      if (now < periodStart || now - periodStart >= period) {
        periodStart = now
        writtenSubjects = new Set()
      }
      if (writtenSubjects.has(subject)) return false
      writtenSubjects.add(subject)
      return true
    },
  }
}

import type { Clock } from '../../clock.ts'

/** Keeps a line that callers can cause from filling the log. */
export interface LogLimit {
  /** Whether a line about this may be written: one a minute. */
  admits(subject: string): boolean
}

export function createLogLimit(clock: Pick<Clock, 'now'>): LogLimit {
  let begun = 0
  let written = new Set<string>()

  return {
    admits(subject) {
      const now = clock.now()
      // A clock that is set back begins a new minute, too.
      if (now < begun || now - begun >= 60) {
        begun = now
        written = new Set()
      }
      if (written.has(subject)) return false
      written.add(subject)
      return true
    },
  }
}

import type { Clock } from './clock.ts'

/** Follows something that everything depends on, such as the database: reports that it is gone, and that it is back, once each. */
export interface OutageWatch {
  /** The first failure is reported; those that follow belong to the same outage. */
  failed(error: unknown): void
  /** Counts a request that was refused. @returns false when nothing is gone. */
  refused(): boolean
  succeeded(): void
  close(): void
}

export interface OutageReports {
  gone(error: unknown): void
  back(outage: Outage): void
}

/** An outage that is over. */
export interface Outage {
  readonly seconds: number
  /** Requests that were refused meanwhile. */
  readonly refused: number
}

/**
 * For how long nothing may fail until an outage is over, milliseconds: where some calls fail and others do not, and where a
 * call that began in the outage times out after it, that is one outage.
 */
const steady = 5_000

export function createOutageWatch(clock: Clock, reports: OutageReports): OutageWatch {
  let present: { readonly since: number; refused: number; cancelEnd: (() => void) | undefined } | undefined

  return {
    failed(error) {
      if (!present) {
        present = { since: clock.now(), refused: 0, cancelEnd: undefined }
        reports.gone(error)
      }
      present.cancelEnd?.()
      present.cancelEnd = undefined
    },
    refused() {
      if (present) present.refused += 1
      return present !== undefined
    },
    succeeded() {
      if (!present || present.cancelEnd) return
      const { since } = present
      const seconds = Math.max(0, clock.now() - since)
      present.cancelEnd = clock.after(steady, () => {
        const refused = present?.refused ?? 0
        present = undefined
        reports.back({ seconds, refused })
      })
    },
    close: () => present?.cancelEnd?.(),
  }
}

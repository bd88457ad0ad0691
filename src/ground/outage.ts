import type { Clock } from './clock.ts'

/** Watches a dependency, such as the database, and reports the start and the end of each outage once. */
export interface OutageWatch {
  /** Reports the first failure; later ones belong to the same outage. */
  failed(error: unknown): void
  /** Counts a request that was rejected. @returns false when there is no outage. */
  refused(): boolean
  readonly succeeded: () => void
  close(): void
}

export interface OutageReports {
  onStart(error: unknown): void
  onEnd(outage: Outage): void
}

/** An outage that is over. */
export interface Outage {
  readonly seconds: number
  /** Requests that were rejected during the outage. */
  readonly refused: number
}

/**
 * How long no call may fail before an outage counts as over, milliseconds. It is one outage, too, where only some calls fail
 * or a call that started during the outage times out after it.
 */
const quietPeriod = 5_000

export function createOutageWatch(clock: Clock, reports: OutageReports): OutageWatch {
  let outage: { readonly since: number; refused: number; cancelEnd: (() => void) | undefined } | undefined

  return {
    failed(error) {
      if (!outage) {
        outage = { since: clock.now(), refused: 0, cancelEnd: undefined }
        reports.onStart(error)
      }
      outage.cancelEnd?.()
      outage.cancelEnd = undefined
    },
    refused() {
      if (outage) outage.refused += 1
      return outage !== undefined
    },
    succeeded() {
      if (!outage || outage.cancelEnd) return
      const { since } = outage
      const seconds = Math.max(0, clock.now() - since)
      outage.cancelEnd = clock.after(quietPeriod, () => {
        const refused = outage?.refused ?? 0
        outage = undefined
        reports.onEnd({ seconds, refused })
      })
    },
    close: () => outage?.cancelEnd?.(),
  }
}

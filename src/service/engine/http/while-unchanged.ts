import { repeat } from '../../../ground/clock.ts'
import type { Clock } from '../../../ground/clock.ts'
import { ApiProblem } from '../base/problem.ts'
import type { EventSource } from '../waiting/follower.ts'
import type { AdmittedCaller } from './access.ts'

/** How often the access of a caller who follows an event stream is read, seconds: one read by the hash of a key. */
const accessInterval = 5

/** A read that is held: from its second time on, the access of the caller may have ended or changed since it began. */
export function whileUnchanged<T>(admission: AdmittedCaller, read: () => Promise<T>): () => Promise<T> {
  let isFirst = true
  return async () => {
    const value = await read()
    if (!isFirst) await admission.requireUnchanged()
    isFirst = false
    return value
  }
}

/**
 * An event stream: ends once the access of the caller has ended or changed. Its caller reads why when it reconnects. A database that
 * fails says nothing about the access, and all callers would reconnect to it at once.
 */
export function eventsWhileUnchanged<T>(
  clock: Clock,
  admission: AdmittedCaller,
  source: EventSource<T>,
): EventSource<T> {
  return (follower) => {
    const leave = source(follower)
    let isReading = false
    const stop = repeat(clock, accessInterval * 1000, () => {
      // A database that responds slowly is not asked again meanwhile.
      if (isReading) return
      isReading = true
      admission
        .requireUnchanged()
        .catch((error: unknown) => {
          if (!(error instanceof ApiProblem)) return
          stop()
          leave()
          follower.end()
        })
        .finally(() => (isReading = false))
    })
    return () => {
      stop()
      leave()
    }
  }
}

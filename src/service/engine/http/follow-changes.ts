import type { ServiceContext } from '../context/service-context.ts'
import type { EventSource } from '../waiting/follower.ts'
import { alarm } from './held-read.ts'

/** What a follower is told now. */
export interface Look<T> {
  readonly events: readonly T[]
  /** When something changes without a notification, Unix time in seconds; `Infinity` for never. */
  readonly changesAt: number
}

/**
 * Reads now and after each change, and sends what is new. An idle follower costs nothing, whereas 10,000 devices that repeat a held read
 * every minute use a fifth of a core.
 *
 * @param key What wakes it; see `waiterKey`.
 * @param createReader Creates, for each follower, the function that reads what that one has not been told.
 */
export function followChanges<T>(
  ctx: Pick<ServiceContext, 'clock' | 'waiters'>,
  key: string,
  createReader: () => () => Promise<Look<T>>,
): EventSource<T> {
  return (follower) => {
    const subscription = ctx.waiters.subscribe(key)
    const read = createReader()
    let over = false

    async function follow(): Promise<void> {
      for (;;) {
        const { events, changesAt } = await read()
        if (over) return
        for (const event of events) follower.event(event)
        // The service has begun to close since the follower called: nothing will wake it.
        if (ctx.waiters.closed()) return
        const stopAlarm = alarm(ctx, changesAt, () => subscription.wake())
        const hasChanged = await subscription.woken()
        stopAlarm()
        // The service is closing.
        if (!hasChanged) return
      }
    }

    // Also if a read fails, because the database does not respond or the follower may no longer read: its next call gets the reason.
    void follow()
      .catch(() => {})
      .finally(() => follower.end())
    return () => {
      over = true
      subscription.giveUp()
      subscription.end()
    }
  }
}

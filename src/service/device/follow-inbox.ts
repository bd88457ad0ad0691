import type { Inbox } from '../../contract/device.ts'
import type { ServiceContext } from '../context/service-context.ts'
import type { EventSource } from '../waiting/follower.ts'
import { alarm } from '../http/held-read.ts'
import { waiterKey } from '../ground/waiter-key.ts'
import { changesAt, readInbox } from './inbox.ts'

/**
 * The inbox of a device as it is now, and again whenever it changes. Who follows it costs nothing while nothing happens:
 * 10,000 devices whose reads are held for a minute keep a fifth of a core busy.
 */
export function followInbox(ctx: ServiceContext, deviceId: string): EventSource<Inbox> {
  return (follower) => {
    const subscription = ctx.waiters.subscribe(waiterKey.device(deviceId))
    let over = false

    async function follow(): Promise<void> {
      let known: string | undefined
      for (;;) {
        const named = await readInbox(ctx, deviceId)
        if (over) return
        if (named.etag !== known) follower.event(named.inbox)
        known = named.etag
        // It has ended since the device asked: nobody is woken any more.
        if (ctx.waiters.closed()) return
        const stopAlarm = alarm(ctx, changesAt(named), () => subscription.wake())
        const news = await subscription.woken()
        stopAlarm()
        // The service ends.
        if (!news) return
      }
    }

    // Also where the device was taken out of use, or the database does not answer: its next call is told why.
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

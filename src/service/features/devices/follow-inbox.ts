import type { Inbox } from '../../../contract/device-answers.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import type { EventSource } from '../../engine/waiting/follower.ts'
import { alarm } from '../../engine/http/held-read.ts'
import { waiterKey } from '../../engine/base/waiter-key.ts'
import { changesAt, readInbox } from './inbox.ts'

/**
 * Sends the inbox of a device now and on every change. An idle follower costs nothing, whereas 10,000 devices that repeat a
 * held read every minute use a fifth of a core.
 */
export function followInbox(ctx: ServiceContext, deviceId: string): EventSource<Inbox> {
  return (follower) => {
    const subscription = ctx.waiters.subscribe(waiterKey.device(deviceId))
    let over = false

    async function follow(): Promise<void> {
      let lastTag: string | undefined
      for (;;) {
        const inbox = await readInbox(ctx, deviceId)
        if (over) return
        if (inbox.etag !== lastTag) follower.event(inbox.inbox)
        lastTag = inbox.etag
        // The service has begun to close since the device called: nothing will wake the device.
        if (ctx.waiters.closed()) return
        const stopAlarm = alarm(ctx, changesAt(inbox), () => subscription.wake())
        const hasChanged = await subscription.woken()
        stopAlarm()
        // The service is closing.
        if (!hasChanged) return
      }
    }

    // Also if the device was revoked or the database does not respond: its next call gets the reason.
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

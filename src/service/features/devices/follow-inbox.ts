import type { Inbox } from '../../../contract/device-answers.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import type { EventSource } from '../../engine/waiting/follower.ts'
import { followChanges } from '../../engine/http/follow-changes.ts'
import { waiterKey } from '../../engine/base/waiter-key.ts'
import { changesAt, readInbox } from './inbox.ts'

/** Sends the inbox of a device now and on every change. */
export function followInbox(ctx: ServiceContext, deviceId: string): EventSource<Inbox> {
  return followChanges(ctx, waiterKey.device(deviceId), () => {
    let lastTag: string | undefined
    return async () => {
      const named = await readInbox(ctx, deviceId)
      const events = named.etag === lastTag ? [] : [named.inbox]
      lastTag = named.etag
      return { events, changesAt: changesAt(named) }
    }
  })
}

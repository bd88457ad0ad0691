import { createHash } from 'node:crypto'

import { noticeRetention } from '../../contract/device.ts'
import type { DeviceRequest, Inbox } from '../../contract/device.ts'
import type { Attribute } from '../../contract/sessions.ts'
import type { ServiceContext } from '../context/service-context.ts'
import { noticesOfDevice } from '../store/device-notices.ts'
import { pendingOfDevice } from '../store/sessions.ts'
import type { PendingRow } from '../store/sessions.ts'
import { noticeView } from './notices.ts'
import { requireActive } from './signed-call.ts'

/** The list of what is pending, with a name for what it is now. */
export interface NamedInbox {
  readonly inbox: Inbox
  readonly etag: string
}

export async function readInbox(ctx: ServiceContext, deviceId: string): Promise<NamedInbox> {
  // Each time it is read: a device that is taken out of use while its call is held learns so at once.
  await requireActive(ctx.store.db, deviceId)
  const now = ctx.clock.now()
  const pending = await pendingOfDevice(ctx.store.db, deviceId, now)
  const notices = await noticesOfDevice(ctx.store.db, deviceId, now - noticeRetention)
  const inbox = {
    requests: pending.map((session) => requestView(session)),
    ...(notices.length > 0 && { notices: notices.map((notice) => noticeView(notice)) }),
  }
  return { inbox, etag: `"${createHash('sha256').update(JSON.stringify(inbox)).digest('base64url')}"` }
}

/** When the first request lapses. */
export function changesAt({ inbox }: NamedInbox): number {
  return Math.min(...inbox.requests.map((request) => request.expiresAt))
}

/** What the device may know; of the number only how long it is. */
function requestView(session: PendingRow): DeviceRequest {
  return {
    id: session.id,
    nonce: session.nonce,
    domain: { id: session.domainId, name: session.domainName },
    user: { username: session.username },
    attributes: JSON.parse(session.attributes) as Attribute[],
    ...(session.ipAddress !== null && { ipAddress: session.ipAddress }),
    numberLength: session.number?.length ?? 0,
    ...(session.purpose !== 'sign_in' && { purpose: session.purpose }),
    createdAt: session.createdAt,
    expiresAt: session.expiresAt,
  }
}

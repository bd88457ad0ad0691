import { hash } from 'node:crypto'

import { noticeRetention } from '../../contract/device.ts'
import type { DeviceRequest, Inbox } from '../../contract/device.ts'
import type { Attribute } from '../../contract/sessions.ts'
import type { ServiceContext } from '../context/service-context.ts'
import { noticesOfDevice } from '../store/device-notices.ts'
import { pendingOfDevice } from '../store/sessions.ts'
import type { PendingRow } from '../store/sessions.ts'
import { noticeView } from './notices.ts'
import { requireActive } from './signed-call.ts'

/** The pending requests, with an ETag. */
export interface NamedInbox {
  readonly inbox: Inbox
  readonly etag: string
}

export async function readInbox(ctx: ServiceContext, deviceId: string): Promise<NamedInbox> {
  const now = ctx.clock.now()
  const pending = await pendingOfDevice(ctx.store.db, deviceId, now)
  const notices = await noticesOfDevice(ctx.store.db, deviceId, now - noticeRetention)
  // Last, and on every read, so that a device that is revoked while its call is held or read gets the error at once.
  await requireActive(ctx.store.db, deviceId)
  const inbox = {
    requests: pending.map((session) => requestView(session)),
    ...(notices.length > 0 && { notices: notices.map((notice) => noticeView(notice)) }),
  }
  return { inbox, etag: `"${hash('sha256', JSON.stringify(inbox), 'base64url')}"` }
}

/** When the first request expires. */
export function changesAt({ inbox }: NamedInbox): number {
  return Math.min(...inbox.requests.map((request) => request.expiresAt))
}

/** The fields a device may see. Of the number it learns the length only. */
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
    ...(session.browser === 'new' && { newBrowser: true as const }),
    createdAt: session.createdAt,
    expiresAt: session.expiresAt,
  }
}

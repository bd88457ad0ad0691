import { hash } from 'node:crypto'

import { noticeRetention } from '../../../contract/device.ts'
import type { DeviceApproval, DeviceRequest, Inbox } from '../../../contract/device-answers.ts'
import type { PhoneCall } from '../../../contract/phone-calls.ts'
import type { Attribute } from '../../../contract/sessions.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import { openContent } from '../../engine/secrets/approval-content.ts'
import { openApprovalsOf } from './approval-statements.ts'
import type { OpenApprovalRow } from './approval-statements.ts'
import { openCallsOfDevice } from './call-statements.ts'
import type { OpenCallRow } from './call-statements.ts'
import { noticesOfDevice } from '../factors/notice-statements.ts'
import { inboxOfDevice } from './inbox-statements.ts'
import { pendingOfDevice } from '../sessions/statements.ts'
import type { PendingRow } from '../sessions/statements.ts'
import { noticeLists } from './notices.ts'
import { shownUser } from '../users/view.ts'
import { rejectRevoked } from './signed-call.ts'

/** All that is pending, with an ETag. */
export interface NamedInbox {
  readonly inbox: Inbox
  readonly etag: string
}

export async function readInbox(ctx: ServiceContext, deviceId: string): Promise<NamedInbox> {
  const now = ctx.clock.now()
  const { db } = ctx.store
  const noticesAfter = now - noticeRetention
  const pending = await pendingOfDevice(db, deviceId, now)
  // After the requests, and on every read, so that a device that is revoked while its call is held or read gets the error at once.
  const rows = await inboxOfDevice(db, { deviceId, noticesAfter }, now)
  rejectRevoked(rows)
  const notices = rows?.hasNotices ? await noticesOfDevice(db, deviceId, noticesAfter) : []
  const calls = rows?.hasCalls ? await openCallsOfDevice(db, deviceId, now) : []
  const approvals = rows?.hasApprovals ? await openApprovalsOf(db, rows, now) : []
  const inbox = {
    requests: pending.map((session) => requestView(session)),
    ...noticeLists(notices),
    ...(calls.length > 0 && { calls: calls.map((call) => callView(call)) }),
    ...(approvals.length > 0 && { approvals: approvals.map((approval) => approvalView(ctx, approval)) }),
  }
  return { inbox, etag: `"${hash('sha256', JSON.stringify(inbox), 'base64url')}"` }
}

/** The time at which the first request, call or approval expires. */
export function changesAt({ inbox }: NamedInbox): number {
  return Math.min(
    ...[...inbox.requests, ...(inbox.calls ?? []), ...(inbox.approvals ?? [])].map(({ expiresAt }) => expiresAt),
  )
}

/** The fields a device may see. Of the number it learns the length only. */
function requestView(session: PendingRow): DeviceRequest {
  return {
    id: session.id,
    nonce: session.nonce,
    domain: { id: session.domainId, name: session.domainName },
    user: shownUser(session),
    attributes: JSON.parse(session.attributes) as Attribute[],
    ...(session.ipAddress !== null && { ipAddress: session.ipAddress }),
    numberLength: session.number?.length ?? 0,
    ...(session.purpose !== 'sign_in' && { purpose: session.purpose }),
    ...(session.browser === 'new' && { newBrowser: true as const }),
    ...(session.passedBefore === 0 && { neverPassed: true as const }),
    createdAt: session.createdAt,
    expiresAt: session.expiresAt,
  }
}

/** The device gets the text that it shows and signs. */
function approvalView({ secrets }: ServiceContext, approval: OpenApprovalRow): DeviceApproval {
  return {
    id: approval.id,
    nonce: approval.nonce,
    content: openContent(secrets, approval),
    domain: { id: approval.domainId, name: approval.domainName },
    user: shownUser(approval),
    numberLength: approval.number?.length ?? 0,
    createdAt: approval.createdAt,
    expiresAt: approval.expiresAt,
  }
}

/** As of a session: the device learns how long the number is, and nothing else. Who asks is what the person has to find out. */
function callView(call: OpenCallRow): PhoneCall {
  return {
    id: call.id,
    nonce: call.nonce,
    domain: { id: call.domainId, name: call.domainName },
    user: shownUser(call),
    numberLength: call.number.length,
    createdAt: call.createdAt,
    expiresAt: call.expiresAt,
  }
}

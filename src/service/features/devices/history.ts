import { historyRetention, historyPageSize, HistoryRequest } from '../../../contract/device.ts'
import { shownUser } from '../users/view.ts'
import type { ApprovalEntry, History, HistoryEntry } from '../../../contract/device-answers.ts'
import type { Attribute } from '../../../contract/sessions.ts'
import type { CallEntry } from '../../../contract/phone-calls.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import { openContent, parseContentText } from '../../engine/secrets/approval-content.ts'
import { answeredApprovals } from './approval-statements.ts'
import type { AnsweredApprovalRow } from './approval-statements.ts'
import { answeredCallsOfDevice } from './call-statements.ts'
import type { AnsweredCallRow } from './call-statements.ts'
import { historyOfDevice } from './history-statements.ts'
import type { HistoryRow } from './history-statements.ts'
import { parseContent } from './signature.ts'
import { requireActive } from './signed-call.ts'
import type { SignedCall } from './signed-call.ts'

/** A page of the requests that the device has answered, and with the first page the calls to the help desk and the approvals of actions. */
export async function readHistory(ctx: ServiceContext, { device, payload }: SignedCall): Promise<History> {
  const { before } = parseContent(HistoryRequest, payload)
  await requireActive(ctx.store.db, device.id)
  const settledAfter = ctx.clock.now() - historyRetention
  const pageQuery = { deviceId: device.id, before, settledAfter }
  const rows = await historyOfDevice(ctx.store.db, { ...pageQuery, limit: historyPageSize + 1 })
  const calls =
    before === undefined ? await answeredCallsOfDevice(ctx.store.db, { ...pageQuery, limit: historyPageSize }) : []
  const { domainId, userId } = device
  const approvalQuery = { domainId, userId, answeredAfter: settledAfter, limit: historyPageSize }
  const approvals = before === undefined ? await answeredApprovals(ctx.store.db, approvalQuery) : []
  return {
    entries: rows.slice(0, historyPageSize).map((row) => entryView(row)),
    more: rows.length > historyPageSize,
    ...(calls.length > 0 && { calls: calls.map((row) => callView(row)) }),
    ...(approvals.length > 0 && { approvals: approvals.map((row) => approvalView(ctx, row)) }),
  }
}

function callView({ id, domainId, domainName, state, createdAt, settledAt, ...user }: AnsweredCallRow): CallEntry {
  const names = { domain: { id: domainId, name: domainName }, user: shownUser(user) }
  return { id, ...names, state, createdAt, settledAt: settledAt ?? createdAt }
}

function approvalView({ secrets }: ServiceContext, row: AnsweredApprovalRow): ApprovalEntry {
  const { title } = parseContentText(openContent(secrets, row))
  const names = { domain: { id: row.domainId, name: row.domainName }, user: shownUser(row) }
  const { id, createdAt, answeredAt, number, answeredNumber } = row
  const isWrong = number !== null && answeredNumber !== null && number !== answeredNumber
  const answer = { decision: row.decision ?? 'deny', ...(isWrong && { wrongNumber: true as const }) }
  return { id, ...names, title, ...answer, createdAt, answeredAt: answeredAt ?? createdAt }
}

function entryView(row: HistoryRow): HistoryEntry {
  return {
    id: row.sessionId,
    domain: { id: row.domainId, name: row.domainName },
    user: shownUser(row),
    attributes: JSON.parse(row.attributes) as Attribute[],
    ...(row.ipAddress !== null && { ipAddress: row.ipAddress }),
    state: row.state,
    ...(row.reason !== null && { reason: row.reason }),
    ...(row.purpose !== 'sign_in' && { purpose: row.purpose }),
    createdAt: row.createdAt,
    settledAt: row.settledAt,
  }
}

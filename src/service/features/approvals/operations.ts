import type * as contract from '../../../contract/approvals.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import { waiterKey } from '../../engine/base/waiter-key.ts'
import { afterCommit, readCommitted } from '../../engine/database/transaction-ends.ts'
import type { Call, Handler } from '../../engine/http/route.ts'
import { answerOnce } from '../../engine/idempotency/answer-once.ts'
import { findDomain } from '../domains/find.ts'
import { stopWaiting } from './approver-statements.ts'
import { auditPlain, auditRedeemRefused } from './audit.ts'
import { followApprovals } from './follow.ts'
import { notifyApproval } from './notify.ts'
import { publishedKeys } from './receipt-keys.ts'
import { approvalAtTime } from './rules.ts'
import { settleAbandoned } from './settle.ts'
import { approvalOf, approvalPage, approvalSequence, cancelOpenApproval, redeemOnce } from './statements.ts'
import type { ApprovalRow } from './statements.ts'
import { readView, readViews } from './view.ts'

export const get: Handler<typeof contract.getApproval> = async (input, call) => {
  const read = async () => settleAbandoned(call, await loadApproval(call, input))
  const { db } = call.store
  if (!call.http) return readView(call, db, await read())
  const held = await call.http.hold(waiterKey.approval(input.approvalId), {
    read: async () => approvalAtTime(await read(), call.clock.now()),
    changesAt: ({ state, expiresAt }) => (state === 'pending' ? expiresAt : undefined),
    userOf: ({ apiKeyId, requestedBy }) => requestedBy ?? apiKeyId,
  })
  return readView(call, db, held)
}

/** Approvals in a page. */
const pageSize = 100

export const list: Handler<typeof contract.listApprovals> = async ({ domainId, after }, call) => {
  const { db } = call.store
  const domain = await findDomain(call, domainId)
  const start = after === undefined ? 0 : await approvalSequence(db, domain.id, after)
  if (start === undefined) throw new ApiProblem('api.error.invalid.after', 'after: not the id of an approval here')
  const rows = await approvalPage(db, { domainId: domain.id, after: start, limit: pageSize + 1 })
  const page = rows.slice(0, pageSize)
  const next = rows.length > pageSize ? page.at(-1)?.id : undefined
  return { approvals: await readViews(call, db, page), next }
}

export const watch: Handler<typeof contract.watchApprovals> = async ({ domainId }, call) => {
  const domain = await findDomain(call, domainId)
  return followApprovals(call, domain.id)
}

export const cancel: Handler<typeof contract.cancelApproval> = async (input, call) => {
  const { id, organizationId, domainId } = await loadApproval(call, input)
  await readCommitted(call.store.db).execute(async (db) => {
    if (!(await cancelOpenApproval(db, id, call.clock.now()))) return
    const deviceIds = await stopWaiting(db, [id])
    await auditPlain(db, call, 'approval.cancelled', { id, organizationId, domainId })
    notifyApproval(db, call, { id, domainId }, deviceIds)
    afterCommit(db, () => call.observer.approvalSettled('cancelled'))
  })
}

export const redeem: Handler<typeof contract.redeemApproval> = async (input, call) => {
  const row = await loadApproval(call, input)
  const { challenge } = input
  const now = call.clock.now()
  const redeemed = await answerOnce(call, {
    change: async (db) => {
      if (!(await redeemOnce(db, { id: row.id, challenge }, now))) return undefined
      await auditPlain(db, call, 'approval.redeemed', row)
      return { ...row, redeemedAt: now }
    },
    answer: (redeemedRow, { store }) => readView(call, store.db, redeemedRow),
    begin: (run) => readCommitted(call.store.db).execute(run),
  })
  if (redeemed) return redeemed
  await auditRedeemRefused(call, row)
  throw new ApiProblem('api.error.conflict.state')
}

export const keys: Handler<typeof contract.getApprovalKeys> = (_input, call) => publishedKeys(call)

type ApprovalKey = { readonly domainId: string; readonly approvalId: string }

/** An approval of the caller's domain, as it is stored. */
export async function loadApproval(call: Call, { domainId, approvalId: id }: ApprovalKey): Promise<ApprovalRow> {
  const row = await approvalOf(call.store.db, { organizationId: call.organizationId, domainId, id })
  if (!row) await findDomain(call, domainId)
  if (!row) throw new ApiProblem('api.error.notfound.approval')
  return row
}

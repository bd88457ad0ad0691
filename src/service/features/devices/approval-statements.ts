import { isOpenApproval } from '../../engine/database/open-approval.ts'
import { allRows } from '../../engine/database/statement.ts'
import type { RowOf, Slot, Slots } from '../../engine/database/statement.ts'

/** An approval that waits, with the names a person knows it by. */
export type OpenApprovalRow = RowOf<typeof openApprovalsOf>

/** The approvals that wait for an answer of the owner of a device, newest first. A device that was replaced shows them, too. */
export const openApprovalsOf = allRows(
  'openApprovalsOf',
  (db, slots: Slots<{ domainId: string; userId: string }>, now: Slot<number>) =>
    db
      .selectFrom('approver')
      .innerJoin('approval', 'approval.id', 'approver.approvalId')
      .innerJoin('domain', 'domain.id', 'approver.domainId')
      .innerJoin('user', 'user.id', 'approver.userId')
      .select(['approval.id', 'approval.domainId', 'approval.content', 'approval.createdAt', 'approval.expiresAt'])
      .select(['approver.nonce', 'approver.number', 'domain.name as domainName', 'user.username', 'user.name'])
      .where('approver.domainId', '=', slots.domainId)
      .where('approver.userId', '=', slots.userId)
      .where('approver.waiting', '=', 1)
      .where(isOpenApproval(now))
      .orderBy('approver.sequence', 'desc'),
)

/** An approval that a person answered, with the names a person knows it by. */
export type AnsweredApprovalRow = RowOf<typeof answeredApprovals>

/** What a person answered, newest first. */
export const answeredApprovals = allRows(
  'answeredApprovals',
  (db, slots: Slots<{ domainId: string; userId: string; answeredAfter: number; limit: number }>) =>
    db
      .selectFrom('approver')
      .innerJoin('approval', 'approval.id', 'approver.approvalId')
      .innerJoin('domain', 'domain.id', 'approver.domainId')
      .innerJoin('user', 'user.id', 'approver.userId')
      .select(['approval.id', 'approval.content', 'approval.createdAt', 'approver.domainId', 'approver.decision'])
      .select(['approver.number', 'approver.answeredNumber'])
      .select(['approver.answeredAt', 'domain.name as domainName', 'user.username', 'user.name'])
      .where('approver.userId', '=', slots.userId)
      .where('approver.domainId', '=', slots.domainId)
      .where('approver.answeredAt', '>', slots.answeredAfter)
      .orderBy('approver.answeredAt', 'desc')
      .limit(slots.limit),
)

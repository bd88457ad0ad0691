import type { ApprovalDecision } from '../../../contract/approval-facts.ts'
import type { Proof } from '../../../contract/approval-proof.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import type { Actor } from '../../engine/audit/entry.ts'
import { afterCommit, readCommitted } from '../../engine/database/transaction-ends.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { approversOf, stopWaiting, storeApprovalAnswer } from './approver-statements.ts'
import type { ApproverRow } from './approver-statements.ts'
import { auditAnswer, auditOutcome } from './audit.ts'
import { notifyApproval } from './notify.ts'
import { approvalAtTime, outcomeOf } from './rules.ts'
import type { Outcome } from './rules.ts'
import { lockApproval, settleApproval } from './statements.ts'
import type { ApprovalRow } from './statements.ts'
import { proofRecord } from './view.ts'

/** One person's answer, once it is known to be theirs. */
export interface KnownAnswer {
  readonly approver: ApproverRow
  readonly decision: ApprovalDecision
  /** The number that was typed; null where none was asked for. */
  readonly number: string | null
  /** Null for an answer that does not count, because the number was wrong. */
  readonly proof: Proof | null
  readonly device: string | null
  /** Absent for a passkey. */
  readonly actor?: Actor
}

/**
 * Stores an answer, and settles the approval if it decides. In a transaction that has locked the approval.
 * @returns the approval as it is now; undefined where no answer of this person is wanted any more.
 */
export async function acceptAnswer(
  ctx: ServiceContext,
  db: Queryable,
  approval: ApprovalRow,
  answer: KnownAnswer,
): Promise<ApprovalRow | undefined> {
  const { approver, decision, number, proof, device, actor } = answer
  const now = ctx.clock.now()
  const sealed = proof && ctx.secrets.seal(JSON.stringify(proof), proofRecord(approver))
  if (!(await storeApprovalAnswer(db, { id: approver.id, decision, number, proof: sealed }, now))) return undefined
  await auditAnswer(db, ctx, approval, { user: approver.userId, device, decision }, actor)
  // A wrong number denies the approval: an attacker who does not see the page must not be able to try all of them.
  const outcome: Outcome | undefined =
    proof === null ? { state: 'denied', reason: 'wrong_number' } : await decideBy(db, approval)
  notifyApproval(db, ctx, approval, [approver.deviceId, device])
  return outcome ? settle(ctx, db, approval, outcome, actor) : approval
}

async function decideBy(db: Queryable, { id, needed }: ApprovalRow): Promise<Outcome | undefined> {
  return outcomeOf(await approversOf(db, [id]), needed)
}

async function settle(
  ctx: ServiceContext,
  db: Queryable,
  approval: ApprovalRow,
  outcome: Outcome,
  actor?: Actor,
): Promise<ApprovalRow | undefined> {
  const now = ctx.clock.now()
  if (!(await settleApproval(db, approval.id, outcome, now))) return undefined
  const deviceIds = await stopWaiting(db, [approval.id])
  await auditOutcome(db, ctx, approval, outcome, actor)
  notifyApproval(db, ctx, approval, deviceIds)
  afterCommit(db, () => ctx.observer.approvalSettled(outcome.reason ?? outcome.state))
  return { ...approval, ...outcome, settledAt: now }
}

/**
 * Settles an approval that too few people can still approve, because memberships ended. Those who end one know nothing of approvals, so
 * the next reader does this.
 */
export async function settleAbandoned(ctx: ServiceContext, row: ApprovalRow): Promise<ApprovalRow> {
  if (approvalAtTime(row, ctx.clock.now()).state !== 'pending') return row
  if ((await decideBy(ctx.store.db, row)) === undefined) return row
  return readCommitted(ctx.store.db).execute(async (db) => {
    const current = (await lockApproval(db, row.id)) ?? row
    if (approvalAtTime(current, ctx.clock.now()).state !== 'pending') return current
    const outcome = await decideBy(db, current)
    return (outcome && (await settle(ctx, db, current, outcome))) ?? current
  })
}

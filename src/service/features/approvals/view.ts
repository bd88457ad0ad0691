import type { Approval, Approver } from '../../../contract/approvals.ts'
import type { Proof } from '../../../contract/approval-proof.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { approversOf } from './approver-statements.ts'
import type { ApproverRow } from './approver-statements.ts'
import { openContent } from '../../engine/secrets/approval-content.ts'
import { approvalAtTime } from './rules.ts'
import type { ApprovalRow } from './statements.ts'

type Context = Pick<ServiceContext, 'secrets' | 'clock'>

type NamedApprover = ApproverRow & { readonly username: string | null }

/** An approval with the people who were asked. @param db A transaction, where they were changed in it. */
export async function readView(ctx: Context, db: Queryable, row: ApprovalRow): Promise<Approval> {
  return approvalView(ctx, row, await approversOf(db, [row.id]))
}

/** The same for several, in their order. */
export async function readViews(ctx: Context, db: Queryable, rows: readonly ApprovalRow[]): Promise<Approval[]> {
  if (rows.length === 0) return []
  const approvers = Map.groupBy(
    await approversOf(
      db,
      rows.map(({ id }) => id),
    ),
    ({ approvalId }) => approvalId,
  )
  return rows.map((row) => approvalView(ctx, row, approvers.get(row.id) ?? []))
}

function approvalView(ctx: Context, stored: ApprovalRow, approvers: readonly NamedApprover[]): Approval {
  const row = approvalAtTime(stored, ctx.clock.now())
  const number = row.state === 'pending' ? approvers.find((approver) => approver.number !== null)?.number : undefined
  return {
    id: row.id,
    state: row.state,
    reason: row.reason ?? undefined,
    content: openContent(ctx.secrets, row),
    digest: row.digest,
    needed: row.needed,
    approvers: approvers.map((approver) => approverView(ctx, approver)),
    number: number ?? undefined,
    createdAt: row.createdAt,
    expiresAt: row.expiresAt,
    settledAt: row.settledAt ?? undefined,
    redeemedAt: row.redeemedAt ?? undefined,
  }
}

/** A user who was deleted has no name any more; that of an answer stands in its receipt. */
function approverView({ secrets }: Context, row: NamedApprover): Approver {
  return {
    user: { id: row.userId, username: row.username ?? '' },
    decision: row.decision ?? undefined,
    answeredAt: row.answeredAt ?? undefined,
    removed: row.removed === 1 ? true : undefined,
    proof: row.proof === null ? undefined : (JSON.parse(secrets.open(row.proof, proofRecord(row))) as Proof),
  }
}

/** The record that a proof is sealed for. */
export const proofRecord = ({ id, userId }: Pick<ApproverRow, 'id' | 'userId'>) =>
  ({ kind: 'approval proof', id, userId }) as const

import type { Selectable } from 'kysely'

import { approvalRedeemableFor } from '../../../contract/approvals.ts'
import { latestBeginning } from '../../engine/base/present.ts'
import { isOpenApproval } from '../../engine/database/open-approval.ts'
import type { Database } from '../../engine/database/schema/schema.ts'
import {
  allRows,
  allValues,
  change,
  changesRow,
  derived,
  firstRow,
  firstValue,
  isPostgres,
  pick,
} from '../../engine/database/statement.ts'
import type { Slot, Slots } from '../../engine/database/statement.ts'
import type { Outcome } from './rules.ts'

export type ApprovalRow = Selectable<Database['approval']>

export type NewApprovalRow = Omit<ApprovalRow, 'sequence' | 'reason' | 'settledAt' | 'redeemedAt'>

export const insertApproval = change('insertApproval', (db, row: Slots<NewApprovalRow>) =>
  db.insertInto('approval').values({
    ...pick(row, ['id', 'organizationId', 'domainId', 'apiKeyId', 'requester', 'requestedBy', 'content', 'digest']),
    ...pick(row, ['needed', 'challenge', 'state', 'createdAt', 'expiresAt', 'keptUntil']),
  }),
)

type ApprovalKey = Pick<ApprovalRow, 'organizationId' | 'domainId' | 'id'>

export const approvalOf = firstRow('approvalOf', (db, slots: Slots<ApprovalKey>) =>
  db
    .selectFrom('approval')
    .selectAll()
    .where((is) => is.and(pick(slots, ['id', 'organizationId', 'domainId']))),
)

export const approvalById = firstRow('approvalById', (db, id: Slot<string>) =>
  db.selectFrom('approval').selectAll().where('id', '=', id),
)

/** Reads an approval in a transaction: no other one changes it until this one ends. */
export const lockApproval = firstRow('lockApproval', (db, id: Slot<string>) => {
  const query = db.selectFrom('approval').selectAll().where('id', '=', id)
  return isPostgres(db) ? query.forNoKeyUpdate() : query
})

/** Settles an approval. @returns false where another answer, a cancellation or the clock was first. */
export const settleApproval = changesRow(
  'settleApproval',
  (db, id: Slot<string>, outcome: Slots<Outcome>, now: Slot<number>) =>
    db
      .updateTable('approval')
      .set({ state: outcome.state, reason: outcome.reason, settledAt: now })
      .where('id', '=', id)
      .where(isOpenApproval(now)),
)

export const cancelOpenApproval = changesRow('cancelOpenApproval', (db, id: Slot<string>, now: Slot<number>) =>
  db
    .updateTable('approval')
    .set({ state: 'cancelled', settledAt: now })
    .where('id', '=', id)
    .where(isOpenApproval(now)),
)

interface Redeeming {
  readonly id: string
  readonly challenge: string
}

/** Redeems an approval. @returns false where it was redeemed before, is too old, or somebody whose answer it needs is no longer a member. */
export const redeemOnce = changesRow('redeemOnce', (db, { id, challenge }: Slots<Redeeming>, now: Slot<number>) =>
  db
    .updateTable('approval')
    .set({ redeemedAt: now })
    .where((is) => is.and({ id, challenge, state: 'approved', redeemedAt: null }))
    .where(
      'settledAt',
      '>',
      derived(now, (time) => time - approvalRedeemableFor),
    )
    .where('settledAt', '<=', derived(now, latestBeginning))
    .where((is) =>
      is.not(
        is.exists(
          is
            .selectFrom('approver')
            .select('approver.id')
            .whereRef('approver.approvalId', '=', 'approval.id')
            .where('approver.decision', '=', 'approve')
            .where('approver.removed', '=', 1),
        ),
      ),
    ),
)

/** Expires approvals that nobody answered in time. Each of them is audited. */
export const expiredApprovals = allRows('expiredApprovals', (db, now: Slot<number>, limit: Slot<number>) =>
  db
    .selectFrom('approval')
    .select(['id', 'organizationId', 'domainId', 'expiresAt'])
    .where('state', '=', 'pending')
    .where('expiresAt', '<=', now)
    .orderBy('expiresAt')
    .limit(limit),
)

export const expireApproval = changesRow('expireApproval', (db, id: Slot<string>, settledAt: Slot<number>) =>
  db
    .updateTable('approval')
    .set({ state: 'expired', settledAt })
    .where('id', '=', id)
    .where('state', '=', 'pending')
    .where('expiresAt', '<=', settledAt),
)

interface Page {
  readonly domainId: string
  /** The sequence of the approval before the first one. */
  readonly after: number
  readonly limit: number
}

/** Oldest first. */
export const approvalPage = allRows('approvalPage', (db, slots: Slots<Page>) =>
  db
    .selectFrom('approval')
    .selectAll()
    .where('domainId', '=', slots.domainId)
    .where('sequence', '>', slots.after)
    .orderBy('sequence')
    .limit(slots.limit),
)

export const approvalSequence = firstValue('approvalSequence', (db, domainId: Slot<string>, id: Slot<string>) =>
  db.selectFrom('approval').select('sequence').where('id', '=', id).where('domainId', '=', domainId),
)

/** Approvals of a domain that have settled since, also those that no answer and no sweep has ended. */
export const settledApprovals = allValues(
  'settledApprovals',
  (db, { domainId, since }: Slots<{ domainId: string; since: number }>) =>
    db.selectFrom('approval').select('id').where('domainId', '=', domainId).where('settledAt', '>=', since),
)

/** Approvals of a domain that wait, or have expired unnoticed. */
export const pendingApprovals = allRows('pendingApprovals', (db, domainId: Slot<string>) =>
  db.selectFrom('approval').select(['id', 'expiresAt']).where('domainId', '=', domainId).where('state', '=', 'pending'),
)

import type { Selectable } from 'kysely'

import type { Database } from './schema.ts'
import { allRows, change, changesRow, firstRow, firstValue, pick } from './statement.ts'
import type { Slot, Slots } from './statement.ts'

export type ApprovalRow = Selectable<Database['approval']>

export const insertApproval = change('insertApproval', (db, row: Slots<ApprovalRow>) =>
  db.insertInto('approval').values({
    ...pick(row, ['id', 'organizationId', 'operation', 'userId', 'requestedBy', 'because', 'decidedBy', 'state']),
    ...pick(row, ['createdAt', 'expiresAt']),
  }),
)

/** Newest first. */
export const approvalsOf = allRows('approvalsOf', (db, organizationId: Slot<string>, now: Slot<number>) =>
  db
    .selectFrom('approval')
    .selectAll()
    .where('organizationId', '=', organizationId)
    .where('expiresAt', '>', now)
    .orderBy('createdAt', 'desc')
    .orderBy('id')
    .limit(200),
)

export const approvalById = firstRow('approvalById', (db, id: Slot<string>, now: Slot<number>) =>
  db.selectFrom('approval').selectAll().where('id', '=', id).where('expiresAt', '>', now),
)

/** @returns false where it was decided already. */
export const decideApproval = changesRow(
  'decideApproval',
  (db, id: Slot<string>, decided: Slots<{ state: 'approved' | 'denied'; decidedBy: string }>) =>
    db
      .updateTable('approval')
      .set({ state: decided.state, decidedBy: decided.decidedBy })
      .where('id', '=', id)
      .where('state', '=', 'pending'),
)

/** What an approved action is about. */
interface Approved {
  readonly operation: string
  readonly userId: string
  readonly requestedBy: string
}

export const approvedAction = firstValue('approvedAction', (db, of: Slots<Approved>, now: Slot<number>) =>
  db
    .selectFrom('approval')
    .select('id')
    .where((is) => is.and(pick(of, ['operation', 'userId', 'requestedBy'])))
    .where('state', '=', 'approved')
    .where('expiresAt', '>', now)
    .limit(1),
)

/** Uses an approval up: of several actions at once, only one gets it. */
export const useApproval = changesRow('useApproval', (db, id: Slot<string>) =>
  db.updateTable('approval').set({ state: 'used' }).where('id', '=', id).where('state', '=', 'approved'),
)

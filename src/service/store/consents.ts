import type { Selectable } from 'kysely'

import type { Database } from './schema.ts'
import { allRows, change, changesRow, firstRow, firstValue, pick } from './statement.ts'
import type { Slot, Slots } from './statement.ts'

export type ConsentRow = Selectable<Database['consent']>

export const insertConsent = change('insertConsent', (db, row: Slots<ConsentRow>) =>
  db.insertInto('consent').values({
    ...pick(row, ['id', 'organizationId', 'operation', 'userId', 'requestedBy', 'because', 'decidedBy', 'state']),
    ...pick(row, ['createdAt', 'expiresAt']),
  }),
)

/** Newest first. */
export const consentsOf = allRows('consentsOf', (db, organizationId: Slot<string>, now: Slot<number>) =>
  db
    .selectFrom('consent')
    .selectAll()
    .where('organizationId', '=', organizationId)
    .where('expiresAt', '>', now)
    .orderBy('createdAt', 'desc')
    .orderBy('id')
    .limit(200),
)

export const consentById = firstRow('consentById', (db, id: Slot<string>, now: Slot<number>) =>
  db.selectFrom('consent').selectAll().where('id', '=', id).where('expiresAt', '>', now),
)

/** @returns false where it was decided already. */
export const decideConsent = changesRow(
  'decideConsent',
  (db, id: Slot<string>, decided: Slots<{ state: 'given' | 'denied'; decidedBy: string }>) =>
    db
      .updateTable('consent')
      .set({ state: decided.state, decidedBy: decided.decidedBy })
      .where('id', '=', id)
      .where('state', '=', 'pending'),
)

/** What a consent is for. */
interface Consented {
  readonly operation: string
  readonly userId: string
  readonly requestedBy: string
}

export const consentFor = firstValue('consentFor', (db, of: Slots<Consented>, now: Slot<number>) =>
  db
    .selectFrom('consent')
    .select('id')
    .where((is) => is.and(pick(of, ['operation', 'userId', 'requestedBy'])))
    .where('state', '=', 'given')
    .where('expiresAt', '>', now)
    .limit(1),
)

/** Uses a consent up: of several actions at once, only one gets it. */
export const useConsent = changesRow('useConsent', (db, id: Slot<string>) =>
  db.updateTable('consent').set({ state: 'used' }).where('id', '=', id).where('state', '=', 'given'),
)

import type { Selectable } from 'kysely'

import type { Database } from '../../engine/database/schema/schema.ts'
import { allRows, change, changesRow, firstRow, pick } from '../../engine/database/statement.ts'
import type { Slot, Slots } from '../../engine/database/statement.ts'

export type ReceiptKeyRow = Selectable<Database['receiptKey']>

/** The key that receipts are signed with while the service writes with this key of the ring. */
export const receiptKeyOf = firstRow('receiptKeyOf', (db, ringKey: Slot<string>) =>
  db
    .selectFrom('receiptKey')
    .selectAll()
    .where('ringKey', '=', ringKey)
    .where('privateKey', 'is not', null)
    .orderBy('id')
    .limit(1),
)

export const insertReceiptKey = changesRow('insertReceiptKey', (db, row: Slots<ReceiptKeyRow>) =>
  db
    .insertInto('receiptKey')
    .values(pick(row, ['id', 'ringKey', 'publicKey', 'privateKey', 'createdAt']))
    .onConflict((conflict) => conflict.doNothing()),
)

/** The keys of other keys of the ring sign no more: their private halves are forgotten. */
export const retireReceiptKeys = change('retireReceiptKeys', (db, ringKey: Slot<string>) =>
  db
    .updateTable('receiptKey')
    .set({ privateKey: null })
    .where('ringKey', '!=', ringKey)
    .where('privateKey', 'is not', null),
)

/** All that proofs may be signed with, newest first. */
export const receiptKeys = allRows('receiptKeys', (db) =>
  db.selectFrom('receiptKey').select(['id', 'publicKey']).orderBy('createdAt', 'desc').orderBy('id'),
)

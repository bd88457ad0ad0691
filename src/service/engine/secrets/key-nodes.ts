import type { Database, Queryable } from '../database/schema/schema.ts'
import { allRows, allValues, change, pick } from '../database/statement.ts'
import type { Slot, Slots } from '../database/statement.ts'

/** Says, for a node, which keys it has; said again and again while it lives. */
export const announceNode = change('announceNode', (db, row: Slots<Database['keyNode']>) => {
  const facts = pick(row, ['name', 'keyIds', 'primaryId', 'primarySince', 'seenAt'])
  return db
    .insertInto('keyNode')
    .values({ id: row.id, ...facts })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(facts))
})

export const removeNode = change('removeNode', (db, id: Slot<string>) => db.deleteFrom('keyNode').where('id', '=', id))

export const removeNodesSeenBefore = change('removeNodesSeenBefore', (db, time: Slot<number>) =>
  db.deleteFrom('keyNode').where('seenAt', '<', time),
)

/** A node that dated its last sign of life in the future, because its clock was ahead, would otherwise live for ever. */
export async function correctNodes(db: Queryable, now: number): Promise<void> {
  await seenToPresent(db, now)
  await primaryToPresent(db, now)
}

const seenToPresent = change('seenToPresent', (db, now: Slot<number>) =>
  db.updateTable('keyNode').set({ seenAt: now }).where('seenAt', '>', now),
)

const primaryToPresent = change('primaryToPresent', (db, now: Slot<number>) =>
  db.updateTable('keyNode').set({ primarySince: now }).where('primarySince', '>', now),
)

/** The nodes in the order of their names. */
export const nodesSeenSince = allRows('nodesSeenSince', (db, time: Slot<number>) =>
  db.selectFrom('keyNode').selectAll().where('seenAt', '>=', time).orderBy('name'),
)

/** One for each key that something may be sealed with. */
export const keyChecks = allRows('keyChecks', (db) => db.selectFrom('keyCheck').selectAll().orderBy('keyId'))

export const insertKeyCheck = change('insertKeyCheck', (db, row: Slots<Database['keyCheck']>) =>
  db
    .insertInto('keyCheck')
    .values(pick(row, ['keyId', 'sealed']))
    .onConflict((conflict) => conflict.doNothing()),
)

/** No value is sealed with other keys now. */
export const removeOtherKeyChecks = allValues('removeOtherKeyChecks', (db, keyId: Slot<string>) =>
  db.deleteFrom('keyCheck').where('keyId', '!=', keyId).returning('keyId'),
)

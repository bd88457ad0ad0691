import type { KeyCheckTable, KeyNodeTable, Queryable } from './schema.ts'

/** Says, for a node, which keys it has; said again and again while it lives. */
export async function announceNode(db: Queryable, row: KeyNodeTable): Promise<void> {
  const { id: _id, ...facts } = row
  await db
    .insertInto('keyNode')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(facts))
    .execute()
}

export async function removeNode(db: Queryable, id: string): Promise<void> {
  await db.deleteFrom('keyNode').where('id', '=', id).execute()
}

export async function removeNodesSeenBefore(db: Queryable, time: number): Promise<void> {
  await db.deleteFrom('keyNode').where('seenAt', '<', time).execute()
}

/** A node that dated its last sign of life in the future, because its clock was ahead, would otherwise live for ever. */
export async function nodesToPresent(db: Queryable, now: number): Promise<void> {
  await db.updateTable('keyNode').set({ seenAt: now }).where('seenAt', '>', now).execute()
  await db.updateTable('keyNode').set({ primarySince: now }).where('primarySince', '>', now).execute()
}

/** By name. */
export function nodesSeenSince(db: Queryable, time: number): Promise<KeyNodeTable[]> {
  return db.selectFrom('keyNode').selectAll().where('seenAt', '>=', time).orderBy('name').execute()
}

/** One for each key that something may be sealed with. */
export function keyChecks(db: Queryable): Promise<KeyCheckTable[]> {
  return db.selectFrom('keyCheck').selectAll().orderBy('keyId').execute()
}

export async function insertKeyCheck(db: Queryable, row: KeyCheckTable): Promise<void> {
  await db
    .insertInto('keyCheck')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** Nothing is sealed with other keys any more. */
export async function removeOtherKeyChecks(db: Queryable, keyId: string): Promise<string[]> {
  const removed = await db.deleteFrom('keyCheck').where('keyId', '!=', keyId).returning('keyId').execute()
  return removed.map((row) => row.keyId)
}

import type { Insertable, Selectable } from 'kysely'

import type { BypassCodeTable, Queryable } from './schema.ts'

export type BypassCodeRow = Selectable<BypassCodeTable>

/** @returns nothing where the user has the same code already. */
export async function insertBypassCode(
  db: Queryable,
  row: Insertable<BypassCodeTable>,
): Promise<BypassCodeRow | undefined> {
  return db
    .insertInto('bypassCode')
    .values(row)
    .onConflict((conflict) => conflict.columns(['userId', 'codeLookup']).doNothing())
    .returningAll()
    .executeTakeFirst()
}

/** Those that can still be used: others read as gone. The users have to be the caller's. */
export function bypassCodesOfUsers(db: Queryable, userIds: string[], now: number): Promise<BypassCodeRow[]> {
  return usable(db, now).where('bypassCode.userId', 'in', userIds).orderBy('bypassCode.sequence').execute()
}

export function bypassCodeById(
  db: Queryable,
  organizationId: string,
  id: string,
  now: number,
): Promise<BypassCodeRow | undefined> {
  return usable(db, now)
    .innerJoin('user', 'user.id', 'bypassCode.userId')
    .where('bypassCode.id', '=', id)
    .where('user.organizationId', '=', organizationId)
    .executeTakeFirst()
}

/** Uses a code once. @returns false where the user has none like it that can be used. */
export async function useBypassCode(
  db: Queryable,
  of: { userId: string; codeLookups: readonly string[] },
  now: number,
): Promise<boolean> {
  const won = await db
    .updateTable('bypassCode')
    .set((eb) => ({ usesRemaining: eb('usesRemaining', '-', 1) }))
    .where('userId', '=', of.userId)
    .where('codeLookup', 'in', of.codeLookups)
    .where('usesRemaining', '>', 0)
    .where('expiresAt', '>', now)
    .executeTakeFirst()
  return won.numUpdatedRows === 1n
}

/** @returns false where it is gone. */
export async function removeBypassCode(db: Queryable, id: string): Promise<boolean> {
  const { numDeletedRows } = await db.deleteFrom('bypassCode').where('id', '=', id).executeTakeFirst()
  return numDeletedRows === 1n
}

/** @returns how many there were. */
export async function removeBypassCodesOfUser(db: Queryable, userId: string): Promise<number> {
  const { numDeletedRows } = await db.deleteFrom('bypassCode').where('userId', '=', userId).executeTakeFirst()
  return Number(numDeletedRows)
}

/** What cannot be used any more reads as gone already. */
export async function removeDeadBypassCodes(db: Queryable, now: number): Promise<void> {
  await db
    .deleteFrom('bypassCode')
    .where((eb) => eb.or([eb('expiresAt', '<=', now), eb('usesRemaining', '=', 0)]))
    .execute()
}

function usable(db: Queryable, now: number) {
  return db
    .selectFrom('bypassCode')
    .selectAll('bypassCode')
    .where('bypassCode.expiresAt', '>', now)
    .where('bypassCode.usesRemaining', '>', 0)
}

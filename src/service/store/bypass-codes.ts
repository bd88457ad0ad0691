import type { Insertable, Selectable } from 'kysely'

import { usedUpCodesKept } from '../rules/bypass-code.ts'
import { latestBeginning } from '../rules/present.ts'
import { removedBy, someOf } from './due.ts'
import { endOtherSessions } from './epochs.ts'
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

/** Uses a code once. @returns its id; undefined where the user has none like it that can be used. */
export async function useBypassCode(
  db: Queryable,
  of: { userId: string; codeLookups: readonly string[] },
  now: number,
): Promise<string | undefined> {
  const won = await db
    .updateTable('bypassCode')
    .set((eb) => ({ usesRemaining: eb('usesRemaining', '-', 1), usedAt: now }))
    .where('userId', '=', of.userId)
    .where('codeLookup', 'in', of.codeLookups)
    .where('usesRemaining', '>', 0)
    .where('expiresAt', '>', now)
    .where('createdAt', '<=', latestBeginning(now))
    .returning('id')
    .executeTakeFirst()
  return won?.id
}

/** In a transaction. @returns false where it is gone. */
export async function removeBypassCode(db: Queryable, id: string): Promise<boolean> {
  const [removed] = await db.deleteFrom('bypassCode').where('id', '=', id).returning('userId').execute()
  if (removed) await endOtherSessions(db, [removed.userId])
  return removed !== undefined
}

export async function removeUsedUpBypassCode(db: Queryable, organizationId: string, id: string): Promise<void> {
  await db
    .deleteFrom('bypassCode')
    .where('id', '=', id)
    .where('usesRemaining', '=', 0)
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('user')
          .select('user.id')
          .whereRef('user.id', '=', 'bypassCode.userId')
          .where('user.organizationId', '=', organizationId),
      ),
    )
    .execute()
}

/**
 * In a transaction.
 *
 * @param of `spared` is the code by which the user is allowed to do this: it is used up, and the pass goes on resting on it.
 * @returns how many there were that could be used.
 */
export async function removeBypassCodesOfUser(
  db: Queryable,
  { userId, spared, now, epoch }: { userId: string; spared?: string | null; now: number; epoch?: string | undefined },
): Promise<number> {
  const codes = await bypassCodesOfUsers(db, [userId], now)
  await db
    .deleteFrom('bypassCode')
    .where('userId', '=', userId)
    .where('id', '<>', spared ?? '')
    .execute()
  await db
    .updateTable('bypassCode')
    .set({ usesRemaining: 0, usedAt: now })
    .where('userId', '=', userId)
    .where('usesRemaining', '>=', 1)
    .execute()
  if (codes.length > 0) await endOtherSessions(db, [userId], epoch)
  return codes.length
}

/** What cannot be used any more reads as gone already. */
export async function removeExpiredBypassCodes(db: Queryable, now: number): Promise<number> {
  const due = db.selectFrom('bypassCode').select('sequence').where('expiresAt', '<=', now)
  return removedBy(await db.deleteFrom('bypassCode').where('sequence', 'in', someOf(db, due)).executeTakeFirst())
}

/** Codes without uses left read as gone; they stay as long as a pass may rest on them. */
export async function removeUsedUpBypassCodes(db: Queryable, now: number): Promise<number> {
  const due = db
    .selectFrom('bypassCode')
    .select('sequence')
    .where('usesRemaining', '=', 0)
    .where((eb) => eb(eb.fn.coalesce('usedAt', 'createdAt'), '<=', now - usedUpCodesKept))
  return removedBy(await db.deleteFrom('bypassCode').where('sequence', 'in', someOf(db, due)).executeTakeFirst())
}

function usable(db: Queryable, now: number) {
  return db
    .selectFrom('bypassCode')
    .selectAll('bypassCode')
    .where('bypassCode.expiresAt', '>', now)
    .where('bypassCode.createdAt', '<=', latestBeginning(now))
    .where('bypassCode.usesRemaining', '>', 0)
}

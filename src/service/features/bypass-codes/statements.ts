import type { Insertable, Selectable } from 'kysely'

import { handedOverFor } from '../factors/phishing-resistance.ts'
import { latestBeginning } from '../../engine/base/present.ts'
import { endOtherSessions } from '../browsers/epochs.ts'
import type { Database, Queryable } from '../../engine/database/schema/schema.ts'
import { change, derived, firstRow, firstValue, pick } from '../../engine/database/statement.ts'
import type { List, Slot, Slots } from '../../engine/database/statement.ts'
import { bypassCodesOfUsers, usable } from '../users/belongings.ts'

export type BypassCodeRow = Selectable<Database['bypassCode']>

/** @returns nothing where the user has the same code already. */
/** Stores any number of codes. Call it in a transaction. Its statements are built, because the number of rows differs. */
export async function insertBypassCodes(
  db: Queryable,
  rows: readonly Omit<Insertable<Database['bypassCode']>, 'sequence' | 'usedAt'>[],
): Promise<void> {
  for (let start = 0; start < rows.length; start += rowsPerInsert) {
    await db
      .insertInto('bypassCode')
      .values(rows.slice(start, start + rowsPerInsert))
      .onConflict((conflict) => conflict.columns(['userId', 'codeLookup']).doNothing())
      .execute()
  }
}

/** The engines limit the parameters of one statement. */
const rowsPerInsert = 500

export const insertBypassCode = firstRow(
  'insertBypassCode',
  (db, row: Slots<Omit<Insertable<Database['bypassCode']>, 'sequence' | 'usedAt' | 'imported'>>) =>
    db
      .insertInto('bypassCode')
      .values(
        pick(row, ['id', 'userId', 'code', 'codeLookup', 'usesAllowed', 'usesRemaining', 'expiresAt', 'createdAt']),
      )
      .onConflict((conflict) => conflict.columns(['userId', 'codeLookup']).doNothing())
      .returningAll(),
)

export const bypassCodeById = firstRow(
  'bypassCodeById',
  (db, organizationId: Slot<string>, id: Slot<string>, now: Slot<number>) =>
    usable(db, now)
      .innerJoin('user', 'user.id', 'bypassCode.userId')
      .where((is) => is.and({ 'bypassCode.id': id, 'user.organizationId': organizationId })),
)

type Using = Pick<BypassCodeRow, 'userId'> & { readonly codeLookups: readonly string[] }

/** Uses a code once. @returns its id; undefined where the user has none like it that can be used. */
export const useBypassCode = firstValue('useBypassCode', (db, slots: Slots<Using>, now: Slot<number>) =>
  using(db, slots, now).returning('id'),
)

/** The same for a code that an administrator hands over in person, for a user who needs a passkey. */
export const useHandedOverCode = firstValue('useHandedOverCode', (db, slots: Slots<Using>, now: Slot<number>) =>
  using(db, slots, now)
    .where('usesAllowed', '=', 1)
    .where((eb) => eb('expiresAt', '<=', eb('createdAt', '+', eb.lit(handedOverFor))))
    .returning('id'),
)

/** Whether the user has such a code that can be used, of whatever kind. It is not used up. */
export const usableBypassCode = firstValue('usableBypassCode', (db, slots: Slots<Using>, now: Slot<number>) =>
  usable(db, now)
    .clearSelect()
    .select('bypassCode.id')
    .where('bypassCode.userId', '=', slots.userId)
    .where('bypassCode.codeLookup', 'in', slots.codeLookups),
)

function using(db: Queryable, slots: Slots<Using>, now: Slot<number>) {
  return db
    .updateTable('bypassCode')
    .set((eb) => ({ usesRemaining: eb('usesRemaining', '-', 1), usedAt: now }))
    .where('userId', '=', slots.userId)
    .where('codeLookup', 'in', slots.codeLookups)
    .where('usesRemaining', '>', 0)
    .where('expiresAt', '>', now)
    .where('createdAt', '<=', derived(now, latestBeginning))
}

/** Call it in a transaction. @returns false where it is gone. */
export async function removeBypassCode(db: Queryable, id: string): Promise<boolean> {
  const removed = await deleteCode(db, id)
  if (removed) await endOtherSessions(db, [removed.userId])
  return removed !== undefined
}

const deleteCode = firstRow('deleteCode', (db, id: Slot<string>) =>
  db.deleteFrom('bypassCode').where('id', '=', id).returning('userId'),
)

export const removeUsedUpBypassCode = change(
  'removeUsedUpBypassCode',
  (db, organizationId: Slot<string>, id: Slot<string>) =>
    db
      .deleteFrom('bypassCode')
      .where((is) => is.and({ id, usesRemaining: 0 }))
      .where((eb) =>
        eb.exists(
          eb
            .selectFrom('user')
            .select('user.id')
            .whereRef('user.id', '=', 'bypassCode.userId')
            .where('user.organizationId', '=', organizationId),
        ),
      ),
)

/**
 * Call it in a transaction.
 *
 * @param where `exceptId` is the code that the user verified with to do this: it is used up but stays, because the pass refers to it.
 * @returns how many there were that could be used.
 */
export async function removeBypassCodesOfUser(
  db: Queryable,
  {
    userId,
    exceptId,
    now,
    epoch,
  }: { userId: string; exceptId?: string | null; now: number; epoch?: string | undefined },
): Promise<number> {
  const codes = await bypassCodesOfUsers(db, [userId], now)
  await deleteCodesBut(db, userId, exceptId ?? '')
  await useCodesUp(db, userId, now)
  if (codes.length > 0) await endOtherSessions(db, [userId], epoch)
  return codes.length
}

const deleteCodesBut = change('deleteCodesBut', (db, userId: Slot<string>, exceptId: Slot<string>) =>
  db.deleteFrom('bypassCode').where('userId', '=', userId).where('id', '<>', exceptId),
)

const useCodesUp = change('useCodesUp', (db, userId: Slot<string>, now: Slot<number>) =>
  db
    .updateTable('bypassCode')
    .set({ usesRemaining: 0, usedAt: now })
    .where('userId', '=', userId)
    .where('usesRemaining', '>=', 1),
)

/** All of users who leave. */
export const removeBypassCodes = change('removeBypassCodes', (db, userIds: List<string>) =>
  db.deleteFrom('bypassCode').where('userId', 'in', userIds),
)

import { isSomeOf, removedBy } from './due.ts'
import { emailCodeLifetime } from '../rules/email-code.ts'
import { latestBeginning } from '../rules/present.ts'
import type { EmailCodeTable, Queryable } from './schema.ts'

/** Which code is meant: one a user and domain. */
interface Of {
  readonly domainId: string
  readonly userId: string
}

/** From now on only this one is good. */
export async function replaceEmailCode(db: Queryable, row: EmailCodeTable): Promise<void> {
  const { codeLookup, wrongTries, expiresAt } = row
  await db
    .insertInto('emailCode')
    .values(row)
    .onConflict((conflict) =>
      conflict.columns(['domainId', 'userId']).doUpdateSet({ codeLookup, wrongTries, expiresAt }),
    )
    .execute()
}

/** Uses a code up. @returns false where it is not the newest one, is over, or was used. */
export async function useEmailCode(
  db: Queryable,
  { domainId, userId, codeLookups }: Of & { codeLookups: readonly string[] },
  now: number,
): Promise<boolean> {
  const used = await db
    .deleteFrom('emailCode')
    .where('domainId', '=', domainId)
    .where('userId', '=', userId)
    .where('codeLookup', 'in', codeLookups)
    .where('expiresAt', '>', now)
    .where('expiresAt', '<=', latestBeginning(now + emailCodeLifetime))
    .executeTakeFirst()
  return used.numDeletedRows === 1n
}

/** Counts a wrong try; the last one takes the code away. */
export async function countWrongEmailCode(db: Queryable, { domainId, userId }: Of, mostTries: number): Promise<void> {
  await db
    .updateTable('emailCode')
    .set((eb) => ({ wrongTries: eb('wrongTries', '+', 1) }))
    .where('domainId', '=', domainId)
    .where('userId', '=', userId)
    .execute()
  await db
    .deleteFrom('emailCode')
    .where('domainId', '=', domainId)
    .where('userId', '=', userId)
    .where('wrongTries', '>=', mostTries)
    .execute()
}

/** @param of Of all domains where none is named. */
export async function removeEmailCodes(
  db: Queryable,
  of: { userId: string; domainId?: string | undefined },
): Promise<void> {
  const domains = of.domainId === undefined ? [] : [of.domainId]
  await db
    .deleteFrom('emailCode')
    .where('userId', '=', of.userId)
    .$if(domains.length > 0, (query) => query.where('domainId', 'in', domains))
    .execute()
}

export async function removeExpiredEmailCodes(db: Queryable, now: number): Promise<number> {
  const due = db.selectFrom('emailCode').select(['domainId', 'userId']).where('expiresAt', '<=', now)
  const isDue = isSomeOf(db, ['domainId', 'userId'], due)
  return removedBy(await db.deleteFrom('emailCode').where(isDue).executeTakeFirst())
}

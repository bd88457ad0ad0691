import type { Queryable } from './schema.ts'
import type { Ended } from './tokens.ts'

interface Enrolling {
  readonly userId: string
  /** Whether it must be the first factor the user ever had. */
  readonly first: boolean
  /** The token whose code is being used. */
  readonly tokenId?: string | undefined
}

/**
 * The user has a factor from now on: that stays true, tokens come and go. Codes that were given out for a first factor
 * end with it. In the transaction that stores the factor, before anything else of it: others wait for the user's row.
 *
 * @returns which tokens ended; undefined where the user had a factor before, and must not have.
 */
export async function markEnrolled(
  db: Queryable,
  { userId, first, tokenId = '' }: Enrolling,
): Promise<readonly Ended[] | undefined> {
  const marked = await db
    .updateTable('user')
    .set({ everEnrolled: 1 })
    .where('id', '=', userId)
    .$if(first, (query) => query.where('everEnrolled', '=', 0))
    .executeTakeFirst()
  if (marked.numUpdatedRows !== 1n) return undefined
  return db
    .deleteFrom('token')
    .where('userId', '=', userId)
    .where('state', '=', 'pending')
    .where('firstOnly', '=', 1)
    .where('id', '<>', tokenId)
    .returning(['id', 'domainId', 'userId'])
    .execute()
}

/** A code somebody may see who knows the password alone is good for a first factor alone, whoever had it issued. */
export async function limitToFirst(db: Queryable, tokenId: string): Promise<void> {
  await db.updateTable('token').set({ firstOnly: 1 }).where('id', '=', tokenId).where('state', '=', 'pending').execute()
}

/** The user is as somebody who never had a factor. */
export async function forgetEnrolment(db: Queryable, userId: string): Promise<void> {
  await db.updateTable('user').set({ everEnrolled: 0 }).where('id', '=', userId).execute()
}

import type { Queryable } from './schema.ts'
import type { Ended } from './tokens.ts'

/** What is stored, and for whom. */
export interface Enrolling {
  readonly userId: string
  /** Whether it must be the first factor the user ever had. */
  readonly first: boolean
  /** Whether the factor is stronger than e-mail. */
  readonly strong?: boolean | undefined
  /** Whether it must be the first strong one: its code was given to somebody who had passed by e-mail. */
  readonly firstStrong?: boolean | undefined
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
  { userId, first, strong = true, firstStrong = false, tokenId = '' }: Enrolling,
): Promise<readonly Ended[] | undefined> {
  const marked = await db
    .updateTable('user')
    .set({ everEnrolled: 1, ...(strong && { strongEnrolled: 1 as const }) })
    .where('id', '=', userId)
    .$if(first, (query) => query.where('everEnrolled', '=', 0))
    .$if(firstStrong, (query) => query.where('strongEnrolled', '=', 0))
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

/** The user is as somebody who never had a factor. */
export async function forgetEnrollment(db: Queryable, userId: string): Promise<void> {
  await db.updateTable('user').set({ everEnrolled: 0, strongEnrolled: 0 }).where('id', '=', userId).execute()
}

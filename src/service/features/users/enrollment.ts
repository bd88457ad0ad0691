import type { Queryable } from '../../engine/database/schema/schema.ts'
import { allRows, allValues, change, changesRow } from '../../engine/database/statement.ts'
import type { List, Slot, Slots } from '../../engine/database/statement.ts'
import type { Ended } from '../../engine/base/revoked.ts'

/** The factor that is stored, and its user. */
export interface Enrolling {
  readonly userId: string
  /** Whether it must be the first factor the user ever had. */
  readonly first: boolean
  /** Whether the factor is stronger than e-mail. */
  readonly strong?: boolean | undefined
  /** Whether it must be the first strong one, because the user had verified by e-mail to get its code. */
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
  // A fact that must still be 0 is at most 0.
  const max = { everEnrolled: first ? 0 : 1, strongEnrolled: firstStrong ? 0 : 1 }
  if (!(await (strong ? markStrong : markWeak)(db, userId, max))) return undefined
  return removeFirstTokens(db, userId, tokenId)
}

type EnrolledState = Slots<{ everEnrolled: number; strongEnrolled: number }>

const markStrong = changesRow('markStrong', (db, userId: Slot<string>, max: EnrolledState) =>
  enrolling(db, userId, max).set({ everEnrolled: 1, strongEnrolled: 1 }),
)

const markWeak = changesRow('markWeak', (db, userId: Slot<string>, max: EnrolledState) =>
  enrolling(db, userId, max).set({ everEnrolled: 1 }),
)

const enrolling = (db: Queryable, userId: Slot<string>, max: EnrolledState) =>
  db
    .updateTable('user')
    .where('id', '=', userId)
    .where((eb) => eb(eb.ref('everEnrolled').$castTo<number>(), '<=', max.everEnrolled))
    .where((eb) => eb(eb.ref('strongEnrolled').$castTo<number>(), '<=', max.strongEnrolled))

const removeFirstTokens = allRows('removeFirstTokens', (db, userId: Slot<string>, exceptId: Slot<string>) =>
  db
    .deleteFrom('token')
    .where((is) => is.and({ userId, state: 'pending', firstOnly: 1 }))
    .where('id', '<>', exceptId)
    .returning(['id', 'domainId', 'userId']),
)

/**
 * Does the same for several users, whose first factors come from another system: those are not imported again.
 *
 * @returns the ids of those who never had a factor before, and which tokens ended.
 */
export async function markAllImported(
  db: Queryable,
  userIds: readonly string[],
): Promise<{ readonly enrolled: readonly string[]; readonly tokens: readonly Ended[] }> {
  const enrolled = await markFirst(db, userIds)
  return { enrolled, tokens: await removeFirstTokensOf(db, enrolled) }
}

const markFirst = allValues('markFirst', (db, userIds: List<string>) =>
  db
    .updateTable('user')
    .set({ everEnrolled: 1, strongEnrolled: 1, importState: 'closed' })
    .where('id', 'in', userIds)
    .where('everEnrolled', '=', 0)
    .returning('id'),
)

const removeFirstTokensOf = allRows('removeFirstTokensOf', (db, userIds: List<string>) =>
  db
    .deleteFrom('token')
    .where('userId', 'in', userIds)
    .where((is) => is.and({ state: 'pending', firstOnly: 1 }))
    .returning(['id', 'domainId', 'userId']),
)

/** Records that users got recovery codes that another system made. In the transaction that stores them. */
export const noteImportedCodes = change('noteImportedCodes', (db, userIds: List<string>) =>
  db.updateTable('user').set({ importedCodes: 1, hadCodes: 1 }).where('id', 'in', userIds),
)

/**
 * Resets the user to the state before any factor was enrolled. Factors of another system are not imported any more: a stolen phone
 * would come back with its seed.
 */
export const forgetEnrollment = change('forgetEnrollment', (db, userId: Slot<string>) =>
  db
    .updateTable('user')
    .set({ everEnrolled: 0, strongEnrolled: 0, hadCodes: 0, importState: 'closed', importedCodes: 0 })
    .where('id', '=', userId),
)

/** Records that new bypass codes are no longer the first ones. Call it in the transaction that stores a code. */
export const noteCodes = change('noteCodes', (db, userId: Slot<string>) =>
  db.updateTable('user').set({ hadCodes: 1 }).where('id', '=', userId).where('hadCodes', '=', 0),
)

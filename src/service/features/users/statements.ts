import type { ExpressionBuilder, Insertable, Selectable } from 'kysely'

import { sentFactors, sentTo } from '../../../contract/factor-descriptions.ts'
import type { SentPlace } from '../../../contract/factor-descriptions.ts'
import { mapLaterFields, userFields } from '../../../contract/users.ts'
import type { UserChanges, UserField } from '../../../contract/users.ts'
import { nameKey } from './rules.ts'
import { isFoundBy } from '../../engine/database/page-rows.ts'
import type { Database, Queryable } from '../../engine/database/schema/schema.ts'
import {
  allRows,
  change,
  changesRow,
  derived,
  firstRow,
  firstValue,
  isPostgres,
  pick,
  withDefaults,
} from '../../engine/database/statement.ts'
import type { List, Slot, Slots } from '../../engine/database/statement.ts'
import { rowsOfPage } from '../../engine/http/paging.ts'
import type { PageStart } from '../../engine/http/paging.ts'

export type UserRow = Selectable<Database['user']>

type Named = Pick<UserRow, 'organizationId' | 'id' | 'username'>

/** @returns false where the organization has the username already, or a synchronization is about to bring it. */
export const insertUser = changesRow('insertUser', (db, row: Slots<Omit<Insertable<Database['user']>, 'nameKey'>>) =>
  db
    .insertInto('user')
    .values({
      ...pick(row, [
        'id',
        'organizationId',
        'username',
        'name',
        ...sentFactors.map(sentTo),
        'everEnrolled',
        'createdAt',
      ]),
      ...withDefaults(row, { strongEnrolled: 0, emailChangedAt: null, ...mapLaterFields(() => null) }),
      nameKey: derived(row.username, nameKey),
    })
    .onConflict((conflict) => conflict.columns(['organizationId', 'username']).doNothing()),
)

/**
 * Adds several users, 100 at most, in a transaction. Built for each, as the number of rows differs.
 * @returns the ids of those that the organization did not have, and that no synchronization is about to bring.
 */
export async function insertUsers(
  db: Queryable,
  rows: readonly Pick<UserRow, 'id' | 'organizationId' | 'username' | 'name' | 'email' | 'createdAt'>[],
): Promise<ReadonlySet<string>> {
  if (rows.length === 0) return new Set()
  const inserted = await db
    .insertInto('user')
    .values(rows.map((row) => ({ ...row, everEnrolled: 0 as const, nameKey: nameKey(row.username) })))
    .onConflict((conflict) => conflict.columns(['organizationId', 'username']).doNothing())
    .returning('id')
    .execute()
  return new Set(inserted.map(({ id }) => id))
}

export const userById = firstRow('userById', (db, organizationId: Slot<string>, id: Slot<string>) =>
  db.selectFrom('user').selectAll().where('id', '=', id).where('organizationId', '=', organizationId).where(exists),
)

export const userByUsername = firstRow('userByUsername', (db, organizationId: Slot<string>, username: Slot<string>) =>
  db
    .selectFrom('user')
    .selectAll()
    .where((is) => is.and({ organizationId, username }))
    .where(exists),
)

/**
 * Another user of the organization whose name could be mistaken for this one; also a user that a synchronization is about
 * to bring. In the transaction that adds the user: of two that are added at once, the second one finds the first.
 */
export const similarUsername = firstValue('similarUsername', (db, { organizationId, id, username }: Slots<Named>) =>
  db
    .selectFrom('user')
    .select('username')
    .where((is) => is.and({ organizationId, nameKey: derived(username, nameKey) }))
    .where('id', '<>', id)
    // In no order: to find one by it, PostgreSQL may walk through the users.
    .limit(1),
)

/** Reads a page of the users, oldest first. An index alone finds the page. */
export const listUsers = allRows('listUsers', (db, organizationId: Slot<string>, start: Slots<PageStart>) => {
  const page = db
    .selectFrom('user')
    .select('sequence')
    .where('organizationId', '=', organizationId)
    .where('sequence', '>', start.after)
    .where(exists)
    .orderBy('sequence')
    .offset(start.offset)
    .limit(rowsOfPage)
  return db
    .selectFrom('user')
    .selectAll()
    .where((is) => isFoundBy(db, is.ref('user.sequence'), page))
    .orderBy('sequence')
})

/** @returns whether a place that codes are sent to is another one now. */
export async function updateUser(db: Queryable, id: string, changes: UserChanges, now: number): Promise<boolean> {
  for (const field of userFields) {
    const value = changes[field]
    if (!isPlace(field) && value !== undefined) await setters[field](db, id, value)
  }
  let readdressed = false
  for (const field of userFields.filter(isPlace)) {
    const value = changes[field]
    if (value !== undefined && (await placeSetters[field](db, id, value, now))) readdressed = true
  }
  return readdressed
}

const setName = change('setName', (db, id: Slot<string>, name: Slot<string>) =>
  db.updateTable('user').set({ name }).where('id', '=', id),
)

const setLanguage = change('setLanguage', (db, id: Slot<string>, language: Slot<string>) =>
  db.updateTable('user').set({ language }).where('id', '=', id),
)

const setTimeZone = change('setTimeZone', (db, id: Slot<string>, timeZone: Slot<string>) =>
  db.updateTable('user').set({ timeZone }).where('id', '=', id),
)

const setters: Readonly<Record<Exclude<UserField, SentPlace>, typeof setName>> = {
  name: setName,
  language: setLanguage,
  timeZone: setTimeZone,
}

const setEmail = changesRow('setEmail', (db, id: Slot<string>, email: Slot<string>, now: Slot<number>) =>
  db.updateTable('user').set({ email, emailChangedAt: now }).where('id', '=', id).where('email', '<>', email),
)

/** They note when a place became another one. */
const placeSetters: Readonly<Record<SentPlace, typeof setEmail>> = { email: setEmail }

const isPlace = (field: UserField): field is SentPlace => field in placeSetters

/**
 * Makes transactions about one user follow each other, and fail where it is gone: the first step of those that count
 * the factors of a user, and of its deletion. On SQLite they follow each other anyway. On PostgreSQL the update aborts
 * `serializable` transactions that have waited for it.
 */
export const lockUser = async (db: Queryable, organizationId: string, id: string): Promise<boolean> =>
  (await lockedUser(db, organizationId, id)) !== undefined

/**
 * Locks a user as `lockUser` does. @returns the id and epoch: what ends with the epoch is either stored before it changes, and ends, or not
 * at all. Undefined if there is no such user.
 */
export const lockedEpoch = firstRow('lockedEpoch', (db, id: Slot<string>) =>
  isPostgres(db)
    ? db
        .updateTable('user')
        .set((eb) => ({ everEnrolled: eb.ref('everEnrolled') }))
        .where('id', '=', id)
        .returning(['id', 'epoch'])
    : db.selectFrom('user').select(['id', 'epoch']).where('id', '=', id),
)

const lockedUser = firstValue('lockedUser', (db, organizationId: Slot<string>, id: Slot<string>) =>
  isPostgres(db)
    ? db
        .updateTable('user')
        .set((eb) => ({ everEnrolled: eb.ref('everEnrolled') }))
        .where((is) => is.and({ id, organizationId }))
        .returning('id')
    : db
        .selectFrom('user')
        .select('id')
        .where((is) => is.and({ id, organizationId })),
)

/** Finds users in whatever organization: asks each of them, as the index on usernames begins with the organization. */
export const usersNamed = allRows('usersNamed', (db, username: Slot<string>) =>
  db
    .selectFrom('user')
    .select('id')
    .where('organizationId', 'in', (eb) => eb.selectFrom('organization').select('organization.id'))
    .where('username', '=', username),
)

/** Users of an organization, by username. */
export const existingByUsernames = allRows(
  'existingByUsernames',
  (db, { organizationId }: Slots<{ readonly organizationId: string }>, usernames: List<string>) =>
    db
      .selectFrom('user')
      .select(['username', 'name', 'email'])
      .where('organizationId', '=', organizationId)
      .where('username', 'in', usernames)
      .where(exists),
)

/** Not those that a synchronization is only about to bring. */
export function exists(eb: ExpressionBuilder<Database, 'user'>) {
  const staging = eb.selectFrom('synchronization').select('synchronization.id').where('appliedAt', 'is', null)
  return eb.or([eb('user.addedBy', 'is', null), eb('user.addedBy', 'not in', staging)])
}

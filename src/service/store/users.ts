import type { ExpressionBuilder, Insertable, Selectable } from 'kysely'

import { nameKey } from '../rules/name-key.ts'
import type { Database, Queryable, UserTable } from './schema.ts'

export type UserRow = Selectable<UserTable>

/** @returns false where the organization has the username already, or a synchronisation is about to bring it. */
export async function insertUser(db: Queryable, row: Omit<Insertable<UserTable>, 'nameKey'>): Promise<boolean> {
  const inserted = await db
    .insertInto('user')
    .values({ ...row, nameKey: nameKey(row.username) })
    .onConflict((conflict) => conflict.columns(['organizationId', 'username']).doNothing())
    .executeTakeFirst()
  return inserted.numInsertedOrUpdatedRows === 1n
}

export function userById(db: Queryable, organizationId: string, id: string): Promise<UserRow | undefined> {
  return db
    .selectFrom('user')
    .selectAll()
    .where('id', '=', id)
    .where('organizationId', '=', organizationId)
    .where(exists)
    .executeTakeFirst()
}

export function userByUsername(db: Queryable, organizationId: string, username: string): Promise<UserRow | undefined> {
  return db
    .selectFrom('user')
    .selectAll()
    .where('organizationId', '=', organizationId)
    .where('username', '=', username)
    .where(exists)
    .executeTakeFirst()
}

/**
 * Somebody else of the organization whose name could be mistaken for this one; also somebody a synchronisation is about to
 * bring. In the transaction that adds the user: of two who come at once, the other one finds it.
 */
export async function similarUsername(
  db: Queryable,
  { organizationId, id, username }: { organizationId: string; id: string; username: string },
): Promise<string | undefined> {
  const similar = await db
    .selectFrom('user')
    .select('username')
    .where('organizationId', '=', organizationId)
    .where('nameKey', '=', nameKey(username))
    .where('id', '<>', id)
    // In no order: to find one by it, PostgreSQL may walk through the users.
    .limit(1)
    .executeTakeFirst()
  return similar?.username
}

/** Oldest first. */
export function listUsers(
  db: Queryable,
  organizationId: string,
  range: { offset: number; limit: number },
): Promise<UserRow[]> {
  return db
    .selectFrom('user')
    .selectAll()
    .where('organizationId', '=', organizationId)
    .where(exists)
    .orderBy('sequence')
    .offset(range.offset)
    .limit(range.limit)
    .execute()
}

/** @returns whether the address is another one now. */
export async function updateUser(
  db: Queryable,
  id: string,
  changes: { name?: string | undefined; email?: string | undefined },
  now: number,
): Promise<boolean> {
  const { name, email } = changes
  if (name !== undefined) await db.updateTable('user').set({ name }).where('id', '=', id).execute()
  if (email === undefined) return false
  const readdressed = await db
    .updateTable('user')
    .set({ email, emailChangedAt: now })
    .where('id', '=', id)
    .where('email', '<>', email)
    .executeTakeFirst()
  return readdressed.numUpdatedRows === 1n
}

/**
 * Makes transactions about one user follow each other, and fail where it is gone: the first step of those that count
 * what a user has, and of its deletion.
 */
export async function lockUser(db: Queryable, organizationId: string, id: string): Promise<boolean> {
  const locked = await db
    .updateTable('user')
    .set((eb) => ({ everEnrolled: eb.ref('everEnrolled') }))
    .where('id', '=', id)
    .where('organizationId', '=', organizationId)
    .executeTakeFirst()
  return locked.numUpdatedRows === 1n
}

/** In whatever organization: asks each of them, as the index on usernames begins with the organization. */
export async function userIdsNamed(db: Queryable, username: string): Promise<string[]> {
  const rows = await db
    .selectFrom('user')
    .select('id')
    .where('organizationId', 'in', (eb) => eb.selectFrom('organization').select('organization.id'))
    .where('username', '=', username)
    .execute()
  return rows.map(({ id }) => id)
}

/** Not those that a synchronisation is only about to bring. */
function exists(eb: ExpressionBuilder<Database, 'user'>) {
  const staging = eb.selectFrom('synchronisation').select('synchronisation.id').where('appliedAt', 'is', null)
  return eb.or([eb('user.addedBy', 'is', null), eb('user.addedBy', 'not in', staging)])
}

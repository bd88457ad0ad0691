import type { Insertable, Selectable } from 'kysely'

import type { Queryable, UserTable } from './schema.ts'

export type UserRow = Selectable<UserTable>

/** @returns false where the organization has the username already. */
export async function insertUser(db: Queryable, row: Insertable<UserTable>): Promise<boolean> {
  const inserted = await db
    .insertInto('user')
    .values(row)
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
    .executeTakeFirst()
}

export function userByUsername(db: Queryable, organizationId: string, username: string): Promise<UserRow | undefined> {
  return db
    .selectFrom('user')
    .selectAll()
    .where('organizationId', '=', organizationId)
    .where('username', '=', username)
    .executeTakeFirst()
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
    .orderBy('sequence')
    .offset(range.offset)
    .limit(range.limit)
    .execute()
}

export async function updateUser(
  db: Queryable,
  id: string,
  changes: { name?: string | undefined; email?: string | undefined },
  now: number,
): Promise<void> {
  const { name, email } = changes
  if (name !== undefined) await db.updateTable('user').set({ name }).where('id', '=', id).execute()
  if (email === undefined) return
  await db
    .updateTable('user')
    .set({ email, emailChangedAt: now })
    .where('id', '=', id)
    .where('email', '<>', email)
    .execute()
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

/** Once true it stays true: tokens come and go. */
export async function markEnrolled(db: Queryable, id: string): Promise<void> {
  await db.updateTable('user').set({ everEnrolled: 1 }).where('id', '=', id).execute()
}

/** Memberships, tokens and codes have to be gone. */
export async function removeUser(db: Queryable, id: string): Promise<void> {
  await db.deleteFrom('user').where('id', '=', id).execute()
}

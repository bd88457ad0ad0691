import type { Insertable, Selectable } from 'kysely'

import type { Queryable, UserTable } from './schema.ts'

export type UserRow = Selectable<UserTable>

/** What a user has: read apart from the user, for a page of them at once. */
export interface Belongings {
  readonly domainIds: string[]
  readonly hasActiveToken: boolean
}

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
): Promise<void> {
  if (changes.name === undefined && changes.email === undefined) return
  await db.updateTable('user').set(changes).where('id', '=', id).execute()
}

/** Once true it stays true: tokens come and go. */
export async function markEnrolled(db: Queryable, id: string): Promise<void> {
  await db.updateTable('user').set({ everEnrolled: 1 }).where('id', '=', id).execute()
}

/** Memberships and tokens have to be gone. */
export async function removeUser(db: Queryable, id: string): Promise<void> {
  await db.deleteFrom('user').where('id', '=', id).execute()
}

/** By user id; users that have nothing are there too. */
export async function belongings(db: Queryable, userIds: string[]): Promise<Map<string, Belongings>> {
  if (userIds.length === 0) return new Map()
  const memberships = await db
    .selectFrom('membership')
    .select(['userId', 'domainId'])
    .where('userId', 'in', userIds)
    .orderBy('sequence')
    .execute()
  const active = await db
    .selectFrom('token')
    .select('userId')
    .distinct()
    .where('userId', 'in', userIds)
    .where('state', '=', 'active')
    .execute()
  const withToken = new Set(active.map((token) => token.userId))
  const domains = Map.groupBy(memberships, (membership) => membership.userId)
  return new Map(
    userIds.map((id) => [
      id,
      {
        domainIds: (domains.get(id) ?? []).map((membership) => membership.domainId),
        hasActiveToken: withToken.has(id),
      },
    ]),
  )
}

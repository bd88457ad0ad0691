import type { Insertable, Selectable } from 'kysely'

import { nameKey } from '../rules/name-key.ts'
import type { Queryable, SynchronisationTable, SynchronisedUserTable } from './schema.ts'

export type SynchronisationRow = Selectable<SynchronisationTable>

/** A synchronisation, and who works on it. */
export type Held = Pick<SynchronisationRow, 'id' | 'organizationId' | 'domainId' | 'holder'>

/** How many rows one step touches: some 10 ms on either engine. */
export const stepSize = 500

/** Draws the ticket of a synchronization that has just arrived. @returns undefined where there is no such domain. */
export async function drawTicket(
  db: Queryable,
  of: { organizationId: string; domainId: string },
): Promise<number | undefined> {
  const drawn = await db
    .updateTable('domain')
    .set((eb) => ({ synchronizationTicket: eb('synchronizationTicket', '+', 1) }))
    .where('id', '=', of.domainId)
    .where('organizationId', '=', of.organizationId)
    .returning('synchronizationTicket')
    .executeTakeFirst()
  return drawn?.synchronizationTicket
}

/**
 * Makes a ticket the newest one that was applied.
 * @param expected The version that the caller saw, if it said so.
 * @returns false where a newer one was applied, or where another version is there than the expected one.
 */
export async function useTicket(
  db: Queryable,
  { domainId, ticket, expected }: { domainId: string; ticket: number; expected: number | undefined },
): Promise<boolean> {
  const won = await db
    .updateTable('domain')
    .set({ synchronizationApplied: ticket })
    .where('id', '=', domainId)
    .where('synchronizationApplied', '<', ticket)
    .$if(expected !== undefined, (query) => query.where('synchronizationApplied', '=', expected ?? 0))
    .executeTakeFirst()
  return won.numUpdatedRows === 1n
}

/** The synchronization that is about to bring a user of this name, if there is one. */
export async function synchronisationBringing(
  db: Queryable,
  organizationId: string,
  username: string,
): Promise<SynchronisationRow | undefined> {
  // Two statements: joined, PostgreSQL may look for the name among all users that a synchronization brings.
  const user = await db
    .selectFrom('user')
    .select('addedBy')
    .where('organizationId', '=', organizationId)
    .where('username', '=', username)
    .executeTakeFirst()
  if (!user?.addedBy) return undefined
  return db.selectFrom('synchronisation').selectAll().where('id', '=', user.addedBy).executeTakeFirst()
}

/** @returns false where the organization has one already. */
export async function insertSynchronisation(db: Queryable, row: Insertable<SynchronisationTable>): Promise<boolean> {
  const inserted = await db
    .insertInto('synchronisation')
    .values(row)
    .onConflict((conflict) => conflict.column('organizationId').doNothing())
    .executeTakeFirst()
  return inserted.numInsertedOrUpdatedRows === 1n
}

export function synchronisationOf(db: Queryable, organizationId: string): Promise<SynchronisationRow | undefined> {
  return db.selectFrom('synchronisation').selectAll().where('organizationId', '=', organizationId).executeTakeFirst()
}

export function allSynchronisations(db: Queryable): Promise<SynchronisationRow[]> {
  return db.selectFrom('synchronisation').selectAll().execute()
}

/** A sign of life from the future, of a clock that was ahead, keeps nobody waiting for longer than one of now. */
export async function beatsToPresent(db: Queryable, now: number): Promise<void> {
  await db.updateTable('synchronisation').set({ beatAt: now }).where('beatAt', '>', now).execute()
}

/** @returns false where its holder has come back, or somebody else was first. */
export async function takeOver(
  db: Queryable,
  { id, holder, beatAt }: SynchronisationRow,
  next: { holder: string; holderProcess: string | null; now: number },
): Promise<boolean> {
  const won = await db
    .updateTable('synchronisation')
    .set({ holder: next.holder, holderProcess: next.holderProcess, beatAt: next.now })
    .where('id', '=', id)
    .where('holder', '=', holder)
    .where('beatAt', '=', beatAt)
    .executeTakeFirst()
  return won.numUpdatedRows === 1n
}

/** The first step of each transaction of a synchronisation. @returns false where it was taken over. */
export async function beat(db: Queryable, { id, holder }: Held, now: number): Promise<boolean> {
  const own = await db
    .updateTable('synchronisation')
    .set({ beatAt: now })
    .where('id', '=', id)
    .where('holder', '=', holder)
    .executeTakeFirst()
  return own.numUpdatedRows === 1n
}

/** From now on all of it counts. */
export async function markApplied(db: Queryable, { id, holder }: Held, now: number): Promise<boolean> {
  const won = await db
    .updateTable('synchronisation')
    .set({ appliedAt: now, beatAt: now })
    .where('id', '=', id)
    .where('holder', '=', holder)
    .where('appliedAt', 'is', null)
    .executeTakeFirst()
  return won.numUpdatedRows === 1n
}

/** The marks that it leaves mean nothing from now on: what it added is there, what it removed is gone. */
export async function removeSynchronisation(db: Queryable, { id, holder }: Held): Promise<void> {
  await db.deleteFrom('synchronisation').where('id', '=', id).where('holder', '=', holder).execute()
}

export interface StagedRow {
  readonly username: string
  readonly name: string
  readonly email: string
}

/** Users as they are now, by username; also those that the synchronisation has brought itself. */
export function usersByUsernames(
  db: Queryable,
  { organizationId }: Pick<Held, 'organizationId'>,
  usernames: readonly string[],
) {
  return db
    .selectFrom('user')
    .select(['id', 'username', 'name', 'email', 'addedBy'])
    .where('organizationId', '=', organizationId)
    .where('username', 'in', usernames)
    .execute()
}

export async function stageUsers(
  db: Queryable,
  { id: addedBy, organizationId }: Held,
  users: readonly (StagedRow & { id: string })[],
  now: number,
): Promise<void> {
  if (users.length === 0) return
  const common = { organizationId, addedBy, everEnrolled: 0, createdAt: now } as const
  await db
    .insertInto('user')
    .values(
      users.map(({ id, username, name, email }) => ({
        id,
        username,
        nameKey: nameKey(username),
        name,
        email,
        ...common,
      })),
    )
    .execute()
}

export async function stageChanges(
  db: Queryable,
  { id: synchronisationId }: Held,
  users: readonly Omit<SynchronisedUserTable, 'synchronisationId'>[],
): Promise<void> {
  if (users.length === 0) return
  const rows = users.map(({ userId, name, email }) => ({ synchronisationId, userId, name, email }))
  await db.insertInto('synchronisedUser').values(rows).execute()
}

/** Stages the memberships that are missing. @returns how many. */
export async function stageMembers(
  db: Queryable,
  { id: addedBy, domainId }: Held,
  userIds: readonly string[],
): Promise<number> {
  const present = await db
    .selectFrom('membership')
    .select('userId')
    .where('domainId', '=', domainId)
    .where('userId', 'in', userIds)
    .execute()
  const known = new Set(present.map(({ userId }) => userId))
  const missing = userIds.filter((userId) => !known.has(userId))
  if (missing.length === 0) return 0
  await db
    .insertInto('membership')
    .values(missing.map((userId) => ({ domainId, userId, addedBy })))
    .execute()
  return missing.length
}

/** Users of the domain, page by page. */
export async function memberIdsAfter(db: Queryable, { domainId }: Held, userId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('membership')
    .select('userId')
    .where('domainId', '=', domainId)
    .where('userId', '>', userId)
    .orderBy('userId')
    .limit(stepSize)
    .execute()
  return rows.map((row) => row.userId)
}

export async function stageLeaving(
  db: Queryable,
  { id: removedBy, domainId }: Held,
  userIds: readonly string[],
): Promise<void> {
  await db
    .updateTable('membership')
    .set({ removedBy })
    .where('domainId', '=', domainId)
    .where('userId', 'in', userIds)
    .execute()
}

/** Members who leave in one step: with each of them go a device, its sessions, codes and all else that only they had. */
const leavingStep = 50

/** Some of those who leave. */
export async function leavingIds(db: Queryable, { id }: Held): Promise<string[]> {
  const query = db.selectFrom('membership').select('userId').where('removedBy', '=', id)
  const rows = await query.limit(leavingStep).execute()
  return rows.map((row) => row.userId)
}

/** Some of those of whom something else changes. */
export async function changedIds(db: Queryable, { id }: Held): Promise<string[]> {
  const rows = await db
    .selectFrom('synchronisedUser')
    .select('userId')
    .where('synchronisationId', '=', id)
    .limit(stepSize)
    .execute()
  return rows.map((row) => row.userId)
}

/** Gives them their new names and addresses. Says twice who: else PostgreSQL reads all users, for 500 of them. */
export async function applyChanges(
  db: Queryable,
  { id }: Held,
  userIds: readonly string[],
  now: number,
): Promise<void> {
  const readdressed = await db
    .selectFrom('synchronisedUser as staged')
    .innerJoin('user', 'user.id', 'staged.userId')
    .select('user.id')
    .where('staged.synchronisationId', '=', id)
    .where('staged.userId', 'in', userIds)
    .where('user.id', 'in', userIds)
    .whereRef('staged.email', '<>', 'user.email')
    .execute()
  await db
    .updateTable('user')
    .from('synchronisedUser as staged')
    .set((eb) => ({
      name: eb.ref('staged.name'),
      email: eb.ref('staged.email'),
      emailChangedAt: eb
        .case()
        .when(eb('staged.email', '<>', eb.ref('user.email')))
        .then(now)
        .else(eb.ref('user.emailChangedAt'))
        .end(),
    }))
    .whereRef('user.id', '=', 'staged.userId')
    .where('staged.synchronisationId', '=', id)
    .where('staged.userId', 'in', userIds)
    .where('user.id', 'in', userIds)
    .execute()
  if (readdressed.length === 0) return
  // As where one user is changed: who reads the old mailbox has no more business here.
  const of = readdressed.map((row) => row.id)
  await db.deleteFrom('emailCode').where('userId', 'in', of).execute()
}

/** Takes these off the list of changes. */
export async function forgetChanges(db: Queryable, { id }: Held, userIds: readonly string[]): Promise<void> {
  await db.deleteFrom('synchronisedUser').where('synchronisationId', '=', id).where('userId', 'in', userIds).execute()
}

/** Takes some of what it brought away again. @returns false where nothing was left to do. */
export async function removeStaged(db: Queryable, { id }: Held, table: 'membership' | 'user'): Promise<boolean> {
  const some = db.selectFrom(table).select('sequence').where('addedBy', '=', id).limit(stepSize)
  const removal = table === 'user' ? db.deleteFrom('user') : db.deleteFrom('membership')
  const { numDeletedRows } = await removal.where('sequence', 'in', some).executeTakeFirst()
  return numDeletedRows > 0n
}

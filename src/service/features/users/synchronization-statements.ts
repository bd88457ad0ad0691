import type { Insertable, Selectable } from 'kysely'

import { nameKey } from './rules.ts'
import { runSteps } from '../../engine/steps/feature.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import type { DomainOfOrganization } from './member-statements.ts'
import type { Database, Queryable } from '../../engine/database/schema/schema.ts'
import {
  allRows,
  allValues,
  change,
  changesRow,
  firstRow,
  firstValue,
  pick,
  withDefaults,
} from '../../engine/database/statement.ts'
import type { List, Slot, Slots } from '../../engine/database/statement.ts'

export type SynchronizationRow = Selectable<Database['synchronization']>

/** A synchronization, and who works on it. */
export type ClaimedSync = Pick<SynchronizationRow, 'id' | 'organizationId' | 'domainId' | 'holder'>

/** How many rows one step touches: some 10 ms on SQLite, and more than 100 ms on PostgreSQL, whose triggers cost more. */
export const stepSize = 500

/** Draws the ticket of a synchronization that has just arrived. @returns undefined where there is no such domain. */
export const drawTicket = firstValue('drawTicket', (db, slots: Slots<DomainOfOrganization>) =>
  db
    .updateTable('domain')
    .set((eb) => ({ synchronizationTicket: eb('synchronizationTicket', '+', 1) }))
    .where((is) => is.and({ id: slots.domainId, organizationId: slots.organizationId }))
    .returning('synchronizationTicket'),
)

type Ticket = Pick<DomainOfOrganization, 'domainId'> & { readonly ticket: number }

/**
 * Makes a ticket the newest one that was applied.
 * @param expected The version that the caller saw, if it said so.
 * @returns false where a newer one was applied, or where another version is there than the expected one.
 */
export function useTicket(
  db: Queryable,
  { expected, ...ticket }: Ticket & { readonly expected: number | undefined },
): Promise<boolean> {
  return expected === undefined ? useNewerTicket(db, ticket) : useTicketAfter(db, ticket, expected)
}

const useNewerTicket = changesRow('useNewerTicket', (db, ticket: Slots<Ticket>) => applying(db, ticket))

const useTicketAfter = changesRow('useTicketAfter', (db, ticket: Slots<Ticket>, expected: Slot<number>) =>
  applying(db, ticket).where('synchronizationApplied', '=', expected),
)

const applying = (db: Queryable, { domainId, ticket }: Slots<Ticket>) =>
  db
    .updateTable('domain')
    .set({ synchronizationApplied: ticket })
    .where('id', '=', domainId)
    .where('synchronizationApplied', '<', ticket)

/** The synchronization that is about to bring a user of this name, if there is one. */
export async function synchronizationBringing(
  db: Queryable,
  organizationId: string,
  username: string,
): Promise<SynchronizationRow | undefined> {
  // Two statements: joined, PostgreSQL may look for the name among all users that a synchronization brings.
  const user = await synchronizationByUsername(db, organizationId, username)
  return user?.addedBy ? synchronizationById(db, user.addedBy) : undefined
}

const synchronizationByUsername = firstRow('bringing', (db, organizationId: Slot<string>, username: Slot<string>) =>
  db.selectFrom('user').select('addedBy').where('organizationId', '=', organizationId).where('username', '=', username),
)

const synchronizationById = firstRow('synchronizationById', (db, id: Slot<string>) =>
  db.selectFrom('synchronization').selectAll().where('id', '=', id),
)

/** @returns false where the organization has one already. */
export const insertSynchronization = changesRow(
  'insertSynchronization',
  (db, row: Slots<Insertable<Database['synchronization']>>) =>
    db
      .insertInto('synchronization')
      .values({
        ...pick(row, ['id', 'organizationId', 'domainId', 'holder', 'beatAt']),
        ...withDefaults(row, { holderProcess: null, appliedAt: null }),
      })
      .onConflict((conflict) => conflict.column('organizationId').doNothing()),
)

export const synchronizationOf = firstRow('synchronizationOf', (db, organizationId: Slot<string>) =>
  db.selectFrom('synchronization').selectAll().where('organizationId', '=', organizationId),
)

export const allSynchronizations = allRows('allSynchronizations', (db) => db.selectFrom('synchronization').selectAll())

/** A sign of life that a clock that was ahead dated in the future must not block others for longer than one of now. */
export const correctBeats = change('correctBeats', (db, now: Slot<number>) =>
  db.updateTable('synchronization').set({ beatAt: now }).where('beatAt', '>', now),
)

type NextHolder = Pick<SynchronizationRow, 'holder' | 'holderProcess'> & { readonly now: number }

/** @returns false where its holder has come back, or another process was first. */
export const takeOver = changesRow(
  'takeOver',
  (db, { id, holder, beatAt }: Slots<SynchronizationRow>, next: Slots<NextHolder>) =>
    db
      .updateTable('synchronization')
      .set({ holder: next.holder, holderProcess: next.holderProcess, beatAt: next.now })
      .where((is) => is.and({ id, holder, beatAt })),
)

/** The first step of each transaction of a synchronization. @returns false where it was taken over. */
export const beat = changesRow('beat', (db, { id, holder }: Slots<ClaimedSync>, now: Slot<number>) =>
  db.updateTable('synchronization').set({ beatAt: now }).where('id', '=', id).where('holder', '=', holder),
)

/** Makes all of the synchronization count. */
export const markApplied = changesRow('markApplied', (db, { id, holder }: Slots<ClaimedSync>, now: Slot<number>) =>
  db
    .updateTable('synchronization')
    .set({ appliedAt: now, beatAt: now })
    .where((is) => is.and({ id, holder, appliedAt: null })),
)

/** The marks that it leaves have no meaning from now on: added rows count, and removed rows are gone. */
export const removeSynchronization = change('removeSynchronization', (db, { id, holder }: Slots<ClaimedSync>) =>
  db.deleteFrom('synchronization').where('id', '=', id).where('holder', '=', holder),
)

export type StagedRow = Pick<Database['user'], 'username' | 'name' | 'email'>

/** Users as they are now, by username; also those that the synchronization has brought itself. */
export const usersByUsernames = allRows(
  'usersByUsernames',
  (db, { organizationId }: Slots<Pick<ClaimedSync, 'organizationId'>>, usernames: List<string>) =>
    db
      .selectFrom('user')
      .select(['id', 'username', 'name', 'email', 'addedBy'])
      .where('organizationId', '=', organizationId)
      .where('username', 'in', usernames),
)

/** Built for each step, as the number of rows differs. */
export async function stageUsers(
  db: Queryable,
  { id: addedBy, organizationId }: ClaimedSync,
  users: readonly (StagedRow & { id: string })[],
  now: number,
): Promise<void> {
  if (users.length === 0) return
  const common = { organizationId, addedBy, everEnrolled: 0, createdAt: now } as const
  const rows = users.map(({ id, username, name, email }) => ({ id, username, name, email, nameKey: nameKey(username) }))
  await db
    .insertInto('user')
    .values(rows.map((row) => ({ ...row, ...common })))
    .execute()
}

export async function stageChanges(
  db: Queryable,
  { id: synchronizationId }: ClaimedSync,
  users: readonly Omit<Database['synchronizedUser'], 'synchronizationId'>[],
): Promise<void> {
  if (users.length === 0) return
  const rows = users.map(({ userId, name, email }) => ({ synchronizationId, userId, name, email }))
  await db.insertInto('synchronizedUser').values(rows).execute()
}

/** Stages the memberships that are missing. @returns how many. */
export async function stageMembers(
  db: Queryable,
  { id: addedBy, domainId }: ClaimedSync,
  userIds: readonly string[],
): Promise<number> {
  const memberIds = new Set(await presentMembers(db, domainId, userIds))
  const missing = userIds.filter((userId) => !memberIds.has(userId))
  if (missing.length === 0) return 0
  await db
    .insertInto('membership')
    .values(missing.map((userId) => ({ domainId, userId, addedBy })))
    .execute()
  return missing.length
}

const presentMembers = allValues('presentMembers', (db, domainId: Slot<string>, userIds: List<string>) =>
  db.selectFrom('membership').select('userId').where('domainId', '=', domainId).where('userId', 'in', userIds),
)

/** Users of the domain, page by page. */
export const memberIdsAfter = allValues(
  'memberIdsAfter',
  (db, { domainId }: Slots<ClaimedSync>, userId: Slot<string>) =>
    db
      .selectFrom('membership')
      .select('userId')
      .where('domainId', '=', domainId)
      .where('userId', '>', userId)
      .orderBy('userId')
      .limit(stepSize),
)

export const stageLeaving = change('stageLeaving', (db, { id, domainId }: Slots<ClaimedSync>, userIds: List<string>) =>
  db.updateTable('membership').set({ removedBy: id }).where('domainId', '=', domainId).where('userId', 'in', userIds),
)

/** Members who leave in one step: with each of them, their device, sessions, codes and other rows are removed. */
const leavingStep = 50

/** Some of those who leave. */
export const leavingIds = allValues('leavingIds', (db, { id }: Slots<ClaimedSync>) =>
  db.selectFrom('membership').select('userId').where('removedBy', '=', id).limit(leavingStep),
)

/** Some of those of whom something else changes. */
export const changedIds = allValues('changedIds', (db, { id }: Slots<ClaimedSync>) =>
  db.selectFrom('synchronizedUser').select('userId').where('synchronizationId', '=', id).limit(stepSize),
)

/** Gives them their new names and addresses. */
export async function applyChanges(
  db: Queryable,
  { clock, features }: Pick<ServiceContext, 'clock' | 'features'>,
  { id }: ClaimedSync,
  userIds: readonly string[],
): Promise<void> {
  const now = clock.now()
  const readdressed = await readdressedAmong(db, id, userIds)
  await copyChanges(db, id, userIds, now)
  // As where one user is changed: who reads the old mailbox has no more business here.
  if (readdressed.length > 0) await runSteps(features.addressChanges, db, { userIds: readdressed, now })
}

// Both name the users twice: otherwise PostgreSQL reads all users to find 500 of them.
const readdressedAmong = allValues('readdressedAmong', (db, id: Slot<string>, userIds: List<string>) =>
  db
    .selectFrom('synchronizedUser as staged')
    .innerJoin('user', 'user.id', 'staged.userId')
    .select('user.id')
    .where('staged.synchronizationId', '=', id)
    .where('staged.userId', 'in', userIds)
    .where('user.id', 'in', userIds)
    .whereRef('staged.email', '<>', 'user.email'),
)

const copyChanges = change('copyChanges', (db, id: Slot<string>, userIds: List<string>, now: Slot<number>) =>
  db
    .updateTable('user')
    .from('synchronizedUser as staged')
    .set((eb) => ({
      name: eb.ref('staged.name'),
      email: eb.ref('staged.email'),
      emailChangedAt: eb
        .case()
        .when(eb('staged.email', '<>', eb.ref('user.email')))
        .then(eb.cast<number>(now, 'bigint'))
        .else(eb.ref('user.emailChangedAt'))
        .end(),
    }))
    .whereRef('user.id', '=', 'staged.userId')
    .where('staged.synchronizationId', '=', id)
    .where('staged.userId', 'in', userIds)
    .where('user.id', 'in', userIds),
)

/** Takes these off the list of changes. */
export const forgetChanges = change(
  'forgetChanges',
  (db, { id }: Slots<Pick<ClaimedSync, 'id'>>, userIds: List<string>) =>
    db.deleteFrom('synchronizedUser').where('synchronizationId', '=', id).where('userId', 'in', userIds),
)

/** Removes some of the rows that it staged. @returns false where none was left. */
export function removeStaged(db: Queryable, { id }: ClaimedSync, table: 'membership' | 'user'): Promise<boolean> {
  return stagedRemovals[table](db, id)
}

const stagedRemovals = { user: removalOfStaged('user'), membership: removalOfStaged('membership') }

function removalOfStaged(table: 'membership' | 'user') {
  return changesRow(`removeStaged ${table}`, (db, id: Slot<string>) =>
    db
      .deleteFrom(table)
      .where('sequence', 'in', (eb) =>
        eb.selectFrom(table).select('sequence').where('addedBy', '=', id).limit(stepSize),
      ),
  )
}

import { isFoundBy } from '../../engine/database/page-rows.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { allRows, changesRow, firstRow, isPostgres } from '../../engine/database/statement.ts'
import type { List, Slot, Slots } from '../../engine/database/statement.ts'
import { rowsOfPage } from '../../engine/http/paging.ts'
import type { PageStart } from '../../engine/http/paging.ts'
import type { UserRow } from './statements.ts'

/** A membership that a synchronization is about to add counts at once. @returns false for a member. */
export const insertMember = changesRow('insertMember', (db, domainId: Slot<string>, userId: Slot<string>) =>
  db
    .insertInto('membership')
    .values({ domainId, userId })
    .onConflict((conflict) =>
      conflict
        .columns(['domainId', 'userId'])
        .doUpdateSet({ addedBy: null })
        .where('membership.addedBy', 'is not', null),
    ),
)

/** Adds users to a domain who were just added to the organization, 100 at most. Built for each, as the number of rows differs. */
export async function insertNewMembers(db: Queryable, domainId: string, userIds: readonly string[]): Promise<void> {
  if (userIds.length === 0) return
  await db
    .insertInto('membership')
    .values(userIds.map((userId) => ({ domainId, userId })))
    .execute()
}

/** The organization of the domain: usernames are unique within it only. */
export interface DomainOfOrganization {
  readonly organizationId: string
  readonly domainId: string
}

/**
 * The organization is part of every look-up: the index on usernames begins with it. By the domain alone, a username
 * would be compared with that of every member.
 *
 * @param user Exactly one of the two.
 */
export function memberBy(
  db: Queryable,
  domain: DomainOfOrganization,
  { id, username = '' }: UserReference,
): Promise<UserRow | undefined> {
  return id === undefined ? memberByUsername(db, domain, username) : memberById(db, domain, id)
}

/**
 * The same in a transaction, and no other transaction changes the user until it ends. A transaction on SQLite has the whole
 * database to itself.
 */
export function lockedMemberBy(
  db: Queryable,
  domain: DomainOfOrganization,
  { id, username = '' }: UserReference,
): Promise<UserRow | undefined> {
  return id === undefined ? lockedMemberByUsername(db, domain, username) : lockedMemberById(db, domain, id)
}

export interface UserReference {
  readonly id?: string | undefined
  readonly username?: string | undefined
}

const byUsername = (db: Queryable, domain: Slots<DomainOfOrganization>, username: Slot<string>) =>
  membersOf(db, domain.domainId)
    .where('user.organizationId', '=', domain.organizationId)
    .where('user.username', '=', username)

const byId = (db: Queryable, domain: Slots<DomainOfOrganization>, id: Slot<string>) =>
  membersOf(db, domain.domainId).where('user.organizationId', '=', domain.organizationId).where('user.id', '=', id)

const memberByUsername = firstRow('memberByUsername', byUsername)
const memberById = firstRow('memberById', byId)

const locked = (db: Queryable, members: Members): Members => (isPostgres(db) ? members.forNoKeyUpdate('user') : members)

const lockedMemberByUsername = firstRow(
  'lockedMemberByUsername',
  (db, domain: Slots<DomainOfOrganization>, username: Slot<string>) => locked(db, byUsername(db, domain, username)),
)
const lockedMemberById = firstRow('lockedMemberById', (db, domain: Slots<DomainOfOrganization>, id: Slot<string>) =>
  locked(db, byId(db, domain, id)),
)

/** Reads a page of the members in the order in which the users were created. An index alone finds the page. */
export const listMembers = allRows('listMembers', (db, domainId: Slot<string>, start: Slots<PageStart>) => {
  const page = db
    .selectFrom('member')
    .select('userSequence')
    .where('domainId', '=', domainId)
    .where('userSequence', '>', start.after)
    .orderBy('userSequence')
    .offset(start.offset)
    .limit(rowsOfPage)
  return db
    .selectFrom('user')
    .selectAll()
    .where((is) => isFoundBy(db, is.ref('user.sequence'), page))
    .orderBy('sequence')
})

const membersOf = (db: Queryable, domainId: Slot<string>) =>
  db
    .selectFrom('user')
    .innerJoin('member', 'member.userId', 'user.id')
    .selectAll('user')
    .where('member.domainId', '=', domainId)

type Members = ReturnType<typeof membersOf>

/** Whether the user is a member of one of the domains. */
export const isMemberOfSome = async (db: Queryable, userId: string, domainIds: readonly string[]): Promise<boolean> =>
  (await memberOfSome(db, userId, domainIds)) !== undefined

const memberOfSome = firstRow('memberOfSome', (db, userId: Slot<string>, domainIds: List<string>) =>
  db.selectFrom('member').select('userId').where('userId', '=', userId).where('domainId', 'in', domainIds).limit(1),
)

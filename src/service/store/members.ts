import type { Queryable } from './schema.ts'
import type { UserRow } from './users.ts'

/** What a synchronisation is about to add is added now. @returns false for a member. */
export async function insertMember(db: Queryable, domainId: string, userId: string): Promise<boolean> {
  const inserted = await db
    .insertInto('membership')
    .values({ domainId, userId })
    .onConflict((conflict) =>
      conflict
        .columns(['domainId', 'userId'])
        .doUpdateSet({ addedBy: null })
        .where('membership.addedBy', 'is not', null),
    )
    .executeTakeFirst()
  return inserted.numInsertedOrUpdatedRows === 1n
}

/** Whose domain it is: usernames are unique in an organization, and only there. */
interface DomainOfOrganization {
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
  { organizationId, domainId }: DomainOfOrganization,
  user: { id?: string | undefined; username?: string | undefined },
): Promise<UserRow | undefined> {
  const member = db
    .selectFrom('user')
    .innerJoin('member', 'member.userId', 'user.id')
    .selectAll('user')
    .where('member.domainId', '=', domainId)
    .where('user.organizationId', '=', organizationId)
  return user.id === undefined
    ? member.where('user.username', '=', user.username ?? '').executeTakeFirst()
    : member.where('user.id', '=', user.id).executeTakeFirst()
}

/** In the order in which the users were created. */
export function listMembers(
  db: Queryable,
  domainId: string,
  range: { offset: number; limit: number },
): Promise<UserRow[]> {
  return db
    .selectFrom('user')
    .innerJoin('member', 'member.userId', 'user.id')
    .selectAll('user')
    .where('member.domainId', '=', domainId)
    .orderBy('user.sequence')
    .offset(range.offset)
    .limit(range.limit)
    .execute()
}

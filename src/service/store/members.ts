import type { Queryable } from './schema.ts'
import type { UserRow } from './users.ts'

/** Does nothing for a member. */
export async function insertMember(db: Queryable, domainId: string, userId: string): Promise<void> {
  await db
    .insertInto('membership')
    .values({ domainId, userId })
    .onConflict((conflict) => conflict.columns(['domainId', 'userId']).doNothing())
    .execute()
}

/** @param user Exactly one of the two. The domain has to be the caller's. */
export function memberBy(
  db: Queryable,
  domainId: string,
  user: { id?: string | undefined; username?: string | undefined },
): Promise<UserRow | undefined> {
  const member = db
    .selectFrom('user')
    .innerJoin('membership', 'membership.userId', 'user.id')
    .selectAll('user')
    .where('membership.domainId', '=', domainId)
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
    .innerJoin('membership', 'membership.userId', 'user.id')
    .selectAll('user')
    .where('membership.domainId', '=', domainId)
    .orderBy('user.sequence')
    .offset(range.offset)
    .limit(range.limit)
    .execute()
}

/** @param domainId Of all domains where it is absent. */
export async function removeMember(db: Queryable, userId: string, domainId?: string): Promise<void> {
  const memberships = db.deleteFrom('membership').where('userId', '=', userId)
  await (domainId === undefined ? memberships : memberships.where('domainId', '=', domainId)).execute()
}

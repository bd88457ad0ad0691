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

/** @param user Exactly one of the two. The domain has to be the caller's. */
export function memberBy(
  db: Queryable,
  domainId: string,
  user: { id?: string | undefined; username?: string | undefined },
): Promise<UserRow | undefined> {
  const member = db
    .selectFrom('user')
    .innerJoin('member', 'member.userId', 'user.id')
    .selectAll('user')
    .where('member.domainId', '=', domainId)
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

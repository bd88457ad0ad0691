import { ApiProblem } from '../ground/problem.ts'
import { memberBy } from '../store/members.ts'
import type { Queryable } from '../store/schema.ts'
import { lockUser } from '../store/users.ts'
import type { UserRow } from '../store/users.ts'

/**
 * Locks a member of a domain until the transaction ends: changes of what one user has run one after another.
 * @throws {ApiProblem} `api.error.notfound.user`
 */
export async function lockMember(
  db: Queryable,
  { organizationId }: { readonly organizationId: string },
  domainId: string,
  userId: string,
): Promise<UserRow> {
  const locked = await lockUser(db, organizationId, userId)
  const user = locked ? await memberBy(db, { organizationId, domainId }, { id: userId }) : undefined
  if (!user) throw new ApiProblem('api.error.notfound.user')
  return user
}

import { ApiProblem } from '../../engine/base/problem.ts'
import { memberBy } from './member-statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { lockUser } from './statements.ts'
import type { UserRow } from './statements.ts'

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

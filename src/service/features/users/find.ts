import type { Caller } from '../../engine/context/caller.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import { memberBy } from './member-statements.ts'
import { userById } from './statements.ts'
import type { UserRow } from './statements.ts'

/** The caller's user: one of its organization, or of the only domain its key is valid for. */
export async function findUser(call: Caller, userId: string): Promise<UserRow> {
  const { organizationId, limitedTo } = call
  const { db } = call.store
  const user =
    limitedTo === null
      ? await userById(db, organizationId, userId)
      : await memberBy(db, { organizationId, domainId: limitedTo }, { id: userId })
  if (!user) throw new ApiProblem('api.error.notfound.user')
  return user
}

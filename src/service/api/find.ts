import type { Caller } from '../context/caller.ts'
import { ApiProblem } from '../ground/problem.ts'
import { domainById } from '../store/domains.ts'
import type { DomainRow } from '../store/domains.ts'
import { memberBy } from '../store/members.ts'
import type { Queryable } from '../store/schema.ts'
import { userById } from '../store/users.ts'
import type { UserRow } from '../store/users.ts'

/** The caller's domain. Domains of other organizations are not found. */
export async function findDomain(call: Caller, domainId: string): Promise<DomainRow> {
  const domain = await domainById(call.store.db, call.organizationId, domainId)
  if (!domain) throw new ApiProblem('api.error.notfound.domain')
  return domain
}

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

/** The domain and one of its members. @param db In a transaction, its connection answers both look-ups together. */
export async function findMember(
  call: Caller,
  domainId: string,
  reference: { id?: string | undefined; username?: string | undefined },
  db: Queryable = call.store.db,
): Promise<Member> {
  const { organizationId } = call
  const [domain, user] = await Promise.all([
    domainById(db, organizationId, domainId),
    memberBy(db, { organizationId, domainId }, reference),
  ])
  if (!domain) throw new ApiProblem('api.error.notfound.domain')
  if (!user) throw new ApiProblem('api.error.notfound.user')
  return { domain, user }
}

export interface Member {
  readonly domain: DomainRow
  readonly user: UserRow
}

import type { Caller } from '../../engine/context/caller.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import { domainById } from './statements.ts'
import type { DomainRow } from './statements.ts'
import { lockedMemberBy, memberBy } from '../users/member-statements.ts'
import type { UserReference } from '../users/member-statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import type { UserRow } from '../users/statements.ts'

/** The caller's domain. Domains of other organizations are not found. */
export async function findDomain(call: Caller, domainId: string): Promise<DomainRow> {
  const domain = await domainById(call.store.db, call.organizationId, domainId)
  if (!domain) throw new ApiProblem('api.error.notfound.domain')
  return domain
}

/** The domain and one of its members. @param transaction No other one changes this user until it ends. */
export async function findMember(
  call: Caller,
  domainId: string,
  reference: UserReference,
  transaction?: Queryable,
): Promise<Member> {
  const { organizationId } = call
  const db = transaction ?? call.store.db
  const find = transaction ? lockedMemberBy : memberBy
  const [domain, user] = await Promise.all([
    domainById(db, organizationId, domainId),
    find(db, { organizationId, domainId }, reference),
  ])
  if (!domain) throw new ApiProblem('api.error.notfound.domain')
  if (!user) throw new ApiProblem('api.error.notfound.user')
  return { domain, user }
}

export interface Member {
  readonly domain: DomainRow
  readonly user: UserRow
}

import type { Call } from '../../engine/http/route.ts'
import { administratorsOf } from './statements.ts'
import { membersOfSome, userNames } from '../../engine/audit/page-statements.ts'
import { domainsOf } from '../domains/statements.ts'
import { visibleTo } from './call.ts'

/** The names of people, domains and administrators, as far as the administrator may see them. */
export async function namesIn(call: Call, ids: readonly string[]): Promise<Record<string, string>> {
  const idSet = new Set(ids)
  if (idSet.size === 0) return {}
  const { organizationId, domainIds } = visibleTo(call)
  const { db } = call.store
  const domains = (await domainsOf(db, organizationId)).filter(({ id }) => domainIds === null || domainIds.includes(id))
  const domainsAndAdministrators = [...domains, ...(await administratorsOf(db, organizationId))].filter(({ id }) =>
    idSet.has(id),
  )
  const people = await visiblePeople(call, [...idSet])
  return Object.fromEntries([
    ...domainsAndAdministrators.map(({ id, name }) => [id, name]),
    ...people.map(({ id, name, username }) => [id, name || username]),
  ])
}

async function visiblePeople(call: Call, ids: readonly string[]) {
  const { organizationId, domainIds } = visibleTo(call)
  const all = await userNames(call.store.db, ids)
  const people = all.filter((person) => person.organizationId === organizationId)
  if (domainIds === null) return people
  const members = await membersOfSome(
    call.store.db,
    people.map(({ id }) => id),
    domainIds,
  )
  const visible = new Set(members.map(({ userId }) => userId))
  return people.filter(({ id }) => visible.has(id))
}

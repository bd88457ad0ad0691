import type { SortOrder, Total } from '../../../admin-contract/lists.ts'
import { peoplePage } from '../../../admin-contract/people.ts'
import type { PeopleFilter, PeopleSearch, PeopleSort } from '../../../admin-contract/people.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import { nextTurn } from '../../engine/base/next-turn.ts'
import type { Call } from '../../engine/http/route.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { domainById, domainsOf } from '../domains/statements.ts'
import { filteredPositions, sendersAmong } from './filtered.ts'
import type { FilteredQuery } from './filtered.ts'
import { countPeople, findPeople, pageOfPeople } from './statements.ts'
import { usersByIds } from './person-statements.ts'
import type { FoundPeople, PeopleOrder } from './statements.ts'
import type { UserRow } from '../users/statements.ts'
import { visibleTo } from '../administrators/call.ts'

/** How far lists are counted. */
const countedUpTo = 1000

/** The one above says that there are more. */
export const countLimit = countedUpTo + 1

/** A page of the people whom a search finds, and how many there are. */
export async function readPeople(
  call: Call,
  search: PeopleSearch,
  { sort = 'name', order, from }: { readonly sort?: PeopleSort; readonly order?: SortOrder; readonly from: number },
): Promise<{ readonly rows: readonly UserRow[]; readonly total: Total; readonly next?: number }> {
  const { db } = call.store
  const { query, found: foundPeople, filter, isMore } = await searched(call, search)
  const page = { ...query, after: 0, offset: from - 1, limit: peoplePage + 1 }
  const ids = await pageOfPeople(db, foundPeople, page, { filter, order: orderOf(sort, order) })
  // A page that is not full says how many there are. Nobody else is looked for, which takes as long again when few are found.
  const isLast = ids.length <= peoplePage && (ids.length > 0 || from === 1)
  const shown = isLast ? from - 1 + ids.length : undefined
  const count =
    shown ?? (isMore ? countLimit : await countPeople(db, foundPeople, { ...query, limit: countLimit }, filter))
  return {
    rows: await usersByIds(db, ids.slice(0, peoplePage)),
    total: totalOf(count),
    ...(ids.length > peoplePage && { next: from + peoplePage }),
  }
}

/** @param count No more than one above the limit. */
export const totalOf = (count: number): Total => ({
  count: Math.min(count, countedUpTo),
  more: count > countedUpTo,
})

/** Names begin at A, and the last sign-in with the newest. */
function orderOf(sort: PeopleSort, order: SortOrder = sort === 'name' ? 'asc' : 'desc'): PeopleOrder {
  return `${sort === 'name' ? 'name' : 'signedIn'} ${order === 'asc' ? 'up' : 'down'}`
}

/** All of them in the order in which they were added, a page at a time. Other requests run between two pages. */
export async function* allPeople(call: Call, search: PeopleSearch, size: number): AsyncGenerator<readonly UserRow[]> {
  const { db } = call.store
  const { query, found: foundPeople, filter } = await searched(call, search)
  for (let after = 0; ;) {
    const page = { ...query, after, offset: 0, limit: size }
    const ids = await pageOfPeople(db, foundPeople, page, { filter, order: 'added' })
    const rows = await usersByIds(db, ids)
    if (rows.length > 0) yield rows
    if (ids.length < size) return
    after = rows.at(-1)?.sequence ?? Number.MAX_SAFE_INTEGER
    await nextTurn()
  }
}

async function searched(call: Call, { q = '', filter, domain }: PeopleSearch) {
  const { organizationId, domainIds } = visibleTo(call)
  const { db } = call.store
  if (domain !== undefined) await requireDomain(call, domain)
  const limited = domain === undefined ? domainIds : [domain]
  const visible = { organizationId, domainIds: limited ?? [], everyone: limited === null ? 1 : 0 } as const
  const all = filter === undefined ? [] : await domainsOf(db, organizationId)
  const domains = all.filter(({ id }) => limited === null || limited.includes(id))
  const query = { ...visible, ...sendersAmong(domains), now: call.clock.now() }
  const narrowed = await narrow(db, await findPeople(db, visible, searchText(q)), query, filter)
  return { query, ...narrowed, filter: filter ?? ('none' as const) }
}

/** Looks for the few people whom a filter finds. `isMore`: the list has more than are counted. */
async function narrow(
  db: Queryable,
  found: FoundPeople,
  query: FilteredQuery,
  filter: PeopleFilter | undefined,
): Promise<{ readonly found: FoundPeople; readonly isMore: boolean }> {
  if (filter === undefined || found.kind === 'found') return { found, isMore: false }
  const { positions, isComplete } = await filteredPositions(db, query, filter)
  if (!isComplete) return { found, isMore: found.kind === 'list' && positions.length > countedUpTo }
  return { found: { ...found, kind: found.kind === 'list' ? 'found' : 'few', positions }, isMore: false }
}

/** Cleans typed text. PostgreSQL rejects a text with a NUL character, and no name contains control characters. */
export const searchText = (input: string): string => input.replaceAll(/\p{Cc}/gu, ' ').trim()

async function requireDomain(call: Call, id: string): Promise<void> {
  const { organizationId, domainIds } = visibleTo(call)
  const isVisible = domainIds === null || domainIds.includes(id)
  if (!isVisible || !(await domainById(call.store.db, organizationId, id)))
    throw new ApiProblem('api.error.notfound.domain')
}

import type { PeopleSearch } from '../../contract/admin/people.ts'
import { ApiProblem } from '../ground/problem.ts'
import { nextTurn } from '../ground/next-turn.ts'
import type { Call } from '../http/route.ts'
import { domainById } from '../store/domains.ts'
import { findPeople, usersByIds } from '../store/people.ts'
import type { PeopleSearch as SearchKind } from '../store/people.ts'
import type { UserRow } from '../store/users.ts'
import { visibleTo } from './call.ts'

interface Page {
  /** The sequence of the last person of the page before. */
  readonly after?: number
  readonly size: number
}

/** Some of the people whom a search finds, and whether there are more. */
export async function readPeople(
  call: Call,
  { q = '', filter, domain }: PeopleSearch,
  { after = 0, size }: Page,
): Promise<{ readonly rows: readonly UserRow[]; readonly next?: number }> {
  const { organizationId, domainIds } = visibleTo(call)
  if (domain !== undefined) await requireDomain(call, domain)
  const text = searchText(q)
  const limited = domain === undefined ? domainIds : [domain]
  const query = {
    organizationId,
    domainIds: limited ?? [],
    everyone: limited === null ? 1 : 0,
    after,
    limit: size + 1,
    now: call.clock.now(),
    text,
  } as const
  const ids = await findPeople(call.store.db, query, { search: searchKind(text), filter: filter ?? 'none' })
  const rows = await usersByIds(call.store.db, ids.slice(0, size))
  const last = rows.at(-1)
  return { rows, ...(ids.length > size && last && { next: last.sequence }) }
}

/** All of them, a page at a time. Other requests run between two pages. */
export async function* allPeople(call: Call, search: PeopleSearch, size: number): AsyncGenerator<readonly UserRow[]> {
  let after: number | undefined
  do {
    const { rows, next } = await readPeople(call, search, { size, ...(after !== undefined && { after }) })
    if (rows.length > 0) yield rows
    after = next
    await nextTurn()
  } while (after !== undefined)
}

/** What was typed, in lower case. PostgreSQL refuses a text with a NUL character, and no name contains control characters. */
export const searchText = (typed: string): string =>
  typed
    .replaceAll(/\p{Cc}/gu, ' ')
    .trim()
    .toLowerCase()

/** Trigrams need three characters. */
export function searchKind(text: string): SearchKind {
  const { length } = Array.from(text)
  return length === 0 ? 'list' : length < 3 ? 'prefix' : 'search'
}

async function requireDomain(call: Call, id: string): Promise<void> {
  const { organizationId, domainIds } = visibleTo(call)
  const isVisible = domainIds === null || domainIds.includes(id)
  if (!isVisible || !(await domainById(call.store.db, organizationId, id)))
    throw new ApiProblem('api.error.notfound.domain')
}

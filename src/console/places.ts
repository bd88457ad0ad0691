import type { PeopleFilter } from '../contract/admin/people.ts'

/**
 * The places of the console, below its address. All are one level deep, with ids in the query: the page is one file, and its own
 * relative addresses have to lead to the same scripts from each place.
 */

export const administratorPlace = (id: string): string => placeOf('administrator', { id })

export const inviteAdministrator = 'invite'

/** What is searched for among people. */
export interface PeopleQuery {
  readonly q: string | undefined
  readonly filter: PeopleFilter | undefined
  /** The id of a domain. */
  readonly domain: string | undefined
  /** The `next` of the page before. */
  readonly after: string | undefined
}

export const peoplePlace = (query: Partial<PeopleQuery> = {}): string => placeOf('people', { ...query })

export const personPlace = (id: string): string => placeOf('person', { id })

/** Empty and absent members are left out. */
function placeOf(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]))
  return given.length > 0 ? `${path}?${new URLSearchParams(given).toString()}` : path
}

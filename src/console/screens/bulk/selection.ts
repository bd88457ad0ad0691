import type { PeopleQuery } from '../../session/places.ts'

/** Whom an action is for: people by their ids, or everyone whom a search finds. */
export type Selection =
  | { readonly people: readonly string[] }
  | { readonly search: Pick<PeopleQuery, 'q' | 'filter' | 'domain'> }

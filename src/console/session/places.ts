import { listsBehind } from '../../admin-contract/overview-lists.ts'
import type { OidcClientKind } from '../../admin-contract/oidc-client-settings.ts'
import type { OidcClient } from '../../admin-contract/oidc-clients.ts'
import type { SortOrder } from '../../admin-contract/lists.ts'
import type { PeopleFilter, PeopleSort } from '../../admin-contract/people.ts'
import type { StockFilter } from '../../admin-contract/stock.ts'

/**
 * The places of the console, below its address. All are one level deep, with ids in the query: the page is one file, and its own
 * relative addresses have to lead to the same scripts from each place.
 */

export const administratorPlace = (id: string): string => placeOf('administrator', { id })

export const inviteAdministrator = 'invite'

/** A search for people. */
export interface PeopleQuery {
  readonly q: string | undefined
  readonly filter: PeopleFilter | undefined
  /** The id of a domain. */
  readonly domain: string | undefined
  /** The order of the list, by name by default. */
  readonly sort: PeopleSort | undefined
  readonly order: SortOrder | undefined
  /** The position of the first row, from 1. */
  readonly from: string | undefined
}

export const peoplePlace = (query: Partial<PeopleQuery> = {}): string => placeOf('people', { ...query })

/** The question that the page of a person asks at once, with a serial number that was entered elsewhere. */
export interface PersonQuestion {
  readonly ask?: 'assign' | 'resynchronize'
  readonly serial?: string
}

export const personPlace = (id: string, question: PersonQuestion = {}): string => placeOf('person', { id, ...question })

/** A search for hardware tokens. */
export interface StockQuery {
  readonly q: string | undefined
  readonly filter: StockFilter | undefined
  /** The position of the first row, from 1. */
  readonly from: string | undefined
}

export const stockPlace = (query: Partial<StockQuery> = {}): string => placeOf('stock', { ...query })

export const importTokens = 'import'

/** An action on many people. */
export const jobPlace = (id: string): string => placeOf('job', { id })

export const jobsPlace = 'jobs'

export const domainPlace = (id: string): string => placeOf('domain', { id })

/** The clients of the OpenID provider, of one domain or of all. */
export const openIdPlace = (domain?: string): string => placeOf('openid', { domain })

/** @param kind The kind of the new client, once it is chosen. */
export const addOpenIdClientPlace = (kind?: OidcClientKind): string => placeOf('openid-add', { kind })

export const openIdClientPlace = (client: Pick<OidcClient, 'id' | 'domain'>): string =>
  placeOf('openid-client', { id: client.id, domain: client.domain })

/** A filter of the audit trail. */
export interface AuditFilter {
  /** An event such as `session.denied`. */
  readonly event: string | undefined
  /** The text that the events are searched for. */
  readonly q: string | undefined
  /** Ids of a person and a domain. */
  readonly user: string | undefined
  readonly domain: string | undefined
  readonly actor: string | undefined
  readonly reason: string | undefined
  readonly factor: string | undefined
  /** Unix time, seconds. */
  readonly since: string | undefined
  readonly until: string | undefined
}

export interface AuditQuery extends AuditFilter {
  /** The `next` of the page before. */
  readonly before: string | undefined
  /** `1` while new entries are followed. */
  readonly live: string | undefined
}

export const auditPlace = (query: Partial<AuditQuery> = {}): string => placeOf('audit', { ...query })

/** The query of the overview. */
export interface OverviewQuery {
  /** The id of a domain; all of them by default. */
  readonly domain: string | undefined
  /** How the sign-ins are divided; by outcome by default. */
  readonly by: 'factor' | undefined
}

export const overviewPlace = (query: Partial<OverviewQuery> = {}): string => placeOf('overview', { ...query })

/** The filter of the list behind a figure. */
export interface Narrowed {
  readonly domain?: string | undefined
  readonly factor?: string | undefined
  /** Unix time, seconds. */
  readonly since?: number | undefined
}

/** The list behind a figure of the overview. */
export function placeBehind(figure: keyof typeof listsBehind, { since, ...narrowed }: Narrowed): string {
  const { list, query } = listsBehind[figure]
  return placeOf(list, { ...query, ...narrowed, since: since === undefined ? undefined : String(since) })
}

/** Empty and absent members are left out. */
function placeOf(path: string, query: Readonly<Record<string, string | undefined>>): string {
  const entries = Object.entries(query).filter((entry): entry is [string, string] => Boolean(entry[1]))
  return entries.length > 0 ? `${path}?${new URLSearchParams(entries).toString()}` : path
}

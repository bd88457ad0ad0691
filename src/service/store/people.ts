import { sql } from 'kysely'
import type { Expression, SqlBool } from 'kysely'

import { inactiveAfter, PeopleFilter } from '../../contract/admin/people.ts'
import type { Queryable } from './schema.ts'
import { allRows, allValues, derived, firstValue, isPostgres } from './statement.ts'
import type { List, Slot, Slots } from './statement.ts'
import { isStrong } from './strong-factors.ts'
import type { IsUser } from './strong-factors.ts'
import { exists } from './users.ts'

/** A page of people, in the order in which they were added. */
export interface PeopleQuery {
  readonly organizationId: string
  /** Only members of one of these, unless `everyone` is 1. */
  readonly domainIds: readonly string[]
  readonly everyone: 0 | 1
  /** The sequence of the last person of the page before. */
  readonly after: number
  readonly limit: number
  readonly now: number
  /** Lower case; unused without a search. */
  readonly text: string
}

export type PeopleSearch = 'list' | 'search' | 'prefix'

type Filter = PeopleFilter | 'none'

/** @returns the ids of people. */
export function findPeople(
  db: Queryable,
  query: PeopleQuery,
  { search, filter }: { readonly search: PeopleSearch; readonly filter: Filter },
): Promise<string[]> {
  return pages[search][filter](db, { ...query, text: textOf[search](db, query.text) })
}

/** What the engine is given for a text. */
export const textOf: Readonly<Record<PeopleSearch, (db: Queryable, text: string) => string>> = {
  list: () => '',
  // SQLite looks for a phrase (sqlite.org/fts5.html section 3.1), PostgreSQL for a pattern.
  search: (db, text) => (isPostgres(db) ? `%${escaped(text)}%` : `"${text.replaceAll('"', '""')}"`),
  prefix: (_db, text) => `${text.replaceAll(/[%_\\]/g, '')}%`,
}

const escaped = (text: string): string => text.replaceAll(/[%_\\]/g, (character) => `\\${character}`)

const hasBypassCode = (is: IsUser, now: Slot<number>): Expression<SqlBool> =>
  is.exists(
    is
      .selectFrom('bypassCode')
      .select('bypassCode.id')
      .whereRef('bypassCode.userId', '=', 'user.id')
      .where('bypassCode.usesRemaining', '>', 0)
      .where('bypassCode.expiresAt', '>', now),
  )

const takesEmail = (is: IsUser): Expression<SqlBool> =>
  is.and([
    is('user.email', '<>', ''),
    is.exists(
      is
        .selectFrom('member')
        .innerJoin('domain', 'domain.id', 'member.domainId')
        .select('domain.id')
        .whereRef('member.userId', '=', 'user.id')
        .where('domain.emailOtpEnabled', '=', 1),
    ),
  ])

/** People who were added lately are not inactive. */
function isInactive(is: IsUser, now: Slot<number>): Expression<SqlBool> {
  const since = derived(now, (time) => time - inactiveAfter)
  return is.and([
    is('user.createdAt', '<=', since),
    is.not(
      is.exists(
        is
          .selectFrom('lastSignIn')
          .select('lastSignIn.at')
          .whereRef('lastSignIn.userSequence', '=', 'user.sequence')
          .where('lastSignIn.at', '>', since),
      ),
    ),
  ])
}

const conditions: Readonly<Record<Filter, (is: IsUser, now: Slot<number>) => Expression<SqlBool>>> = {
  none: () => sql<SqlBool>`1 = 1`,
  enrolled: isStrong,
  locked: (is, now) => is.or([is('user.codesLockedUntil', '>', now), is('user.knownCodesLockedUntil', '>', now)]),
  bypass_code: hasBypassCode,
  inactive: isInactive,
  // The cheaper question first: most people have a strong factor.
  // A recovery code that is in use changes neither, as in the figures of the overview.
  no_factor: (is) => sql<SqlBool>`case when ${isStrong(is)} then 1 = 0 else not (${takesEmail(is)}) end`,
  only_email: (is) => sql<SqlBool>`case when ${isStrong(is)} then 1 = 0 else (${takesEmail(is)}) end`,
}

const isVisible = (is: IsUser, { everyone, domainIds }: Pick<Slots<PeopleQuery>, 'everyone' | 'domainIds'>) =>
  is.or([
    sql<SqlBool>`${everyone} = 1`,
    is.exists(
      is
        .selectFrom('member')
        .select('member.userId')
        .whereRef('member.userId', '=', 'user.id')
        .where('member.domainId', 'in', domainIds),
    ),
  ])

/** One statement for each filter, because statements are not built in requests. */
function pagesOf(search: PeopleSearch) {
  const filters: readonly Filter[] = ['none', ...PeopleFilter.options]
  const entries = filters.map((filter) => [
    filter,
    allValues(`people ${search} ${filter}`, (db, of: Slots<PeopleQuery>) =>
      (search === 'search' ? searched(db, of) : db.selectFrom('user'))
        .select('user.id')
        .where('user.organizationId', '=', of.organizationId)
        .where('user.sequence', '>', of.after)
        .where(exists)
        .where((is) => conditions[filter](is, of.now))
        .where((is) => isVisible(is, of))
        .$if(search === 'prefix', (query) => query.where((is) => beginsWith(is, of.text)))
        .orderBy(positionOf(db, search))
        .limit(of.limit),
    ),
  ])
  return Object.fromEntries(entries) as Record<Filter, (db: Queryable, query: PeopleQuery) => Promise<string[]>>
}

/**
 * SQLite takes the tables of a cross join in their order (sqlite.org/optoverview.html section 8.2): the search first. The other
 * way round it would search once for each user. The search finds its rows in the order of the users, so a page ends it.
 */
function searched(db: Queryable, { text, after }: Slots<PeopleQuery>) {
  const found = peopleFound(db, text)
  return isPostgres(db) ? found : found.where('userSearch.rowid', '>', after)
}

/** The users of all organizations that a text finds. */
export function peopleFound(db: Queryable, text: Slot<string>) {
  const joined = db.selectFrom('userSearch').crossJoin('user')
  return isPostgres(db)
    ? joined.whereRef('userSearch.position', '=', 'user.sequence').where(sql<SqlBool>`user_search.text like ${text}`)
    : joined.whereRef('user.sequence', '=', 'userSearch.rowid').where(sql<SqlBool>`user_search match ${text}`)
}

/** The order of the pages. SQLite knows only of the search itself that its rows come in their order. */
const positionOf = (db: Queryable, search: PeopleSearch) =>
  search === 'search' && !isPostgres(db) ? sql.ref('userSearch.rowid') : sql.ref('user.sequence')

export const beginsWith = (is: IsUser, text: Slot<string>): Expression<SqlBool> =>
  is.or([
    sql<SqlBool>`lower(${is.ref('user.username')}) like ${text}`,
    sql<SqlBool>`lower(${is.ref('user.name')}) like ${text}`,
  ])

const pages = { list: pagesOf('list'), search: pagesOf('search'), prefix: pagesOf('prefix') }

/** In the order in which they were added. */
export const usersByIds = allRows('usersByIds', (db, ids: List<string>) =>
  db.selectFrom('user').selectAll().where('id', 'in', ids).orderBy('sequence'),
)

/** Those who are there, of any organization: by id alone, SQLite finds them by the primary key. */
export const presentUsers = allRows('presentUsers', (db, ids: List<string>) =>
  db
    .selectFrom('user')
    .select(['user.id', 'user.email', 'user.organizationId'])
    .where('user.id', 'in', ids)
    .where(exists),
)

export const hardwareTokenBySerial = firstValue(
  'hardwareTokenBySerial',
  (db, organizationId: Slot<string>, serialNumber: Slot<string>) =>
    db
      .selectFrom('hardwareToken')
      .select('id')
      .where('organizationId', '=', organizationId)
      .where('serialNumber', '=', serialNumber),
)

export const tokensOfUser = allRows('tokensOfUser', (db, userId: Slot<string>) =>
  db.selectFrom('token').selectAll().where('userId', '=', userId).orderBy('createdAt'),
)

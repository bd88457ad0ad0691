import { sql } from 'kysely'
import type { Expression, ExpressionBuilder, SelectQueryBuilder, SqlBool } from 'kysely'

import { inactiveAfter, PeopleFilter } from '../../contract/admin/people.ts'
import { rowsOfPerson } from './migrations/search-rows-sqlite.ts'
import type { Database, Queryable } from './schema.ts'
import { allRows, derived, firstValue, isPostgres } from './statement.ts'
import type { List, Slot, Slots } from './statement.ts'
import { isStrong } from './strong-factors.ts'
import type { IsUser } from './strong-factors.ts'
import { exists } from './users.ts'

/** What is visible to an administrator. */
interface Visible {
  readonly organizationId: string
  /** Only members of one of these, and what belongs to one of them, unless `everyone` is 1. */
  readonly domainIds: readonly string[]
  readonly everyone: 0 | 1
}

/** A page of people, in the order in which they were added. */
export interface PeopleQuery extends Visible {
  /** The sequence of the last person of the page before. */
  readonly after: number
  readonly limit: number
  readonly now: number
  /** Lower case; unused without a search. */
  readonly text: string
}

/** `prefix` for a text of fewer than three characters, which is not in the index. */
export type PeopleSearch = 'list' | 'search' | 'prefix'

type Filter = PeopleFilter | 'none'

/**
 * What a text is looked for as. Each word has to be in some row of the person that is visible: the first one is looked up in the
 * index, and up to three others are checked by a pattern, or by the index of SQLite, which knows all letters in any case.
 */
interface Words {
  readonly first: string
  readonly firstPattern: string
  readonly second: string
  readonly secondPattern: string
  readonly third: string
  readonly thirdPattern: string
  readonly fourth: string
  readonly fourthPattern: string
}

interface PeopleSlots extends PeopleQuery, Words {}

/** @returns the ids of people, as many as the limit if there are so many. */
export async function findPeople(
  db: Queryable,
  query: PeopleQuery,
  { search, filter }: { readonly search: PeopleSearch; readonly filter: Filter },
): Promise<string[]> {
  const words = wordsOf[search](db, query.text)
  const ids = new Set<string>()
  for (let after = query.after; ids.size < query.limit;) {
    // Several rows of one person may contain the word.
    const rows = await pages[search][filter](db, { ...query, ...words, after })
    for (const { id } of rows) ids.add(id)
    const last = rows.at(-1)
    if (!last || rows.length < query.limit) break
    after = last.sequence
  }
  return [...ids].slice(0, query.limit)
}

/** How each kind of search looks for a text. */
export const wordsOf: Readonly<Record<PeopleSearch, (db: Queryable, text: string) => Words>> = {
  list: () => slotsOf([]),
  search: (db, text) => slotsOf(searchWords(text).map((word) => lookUp(db, word))),
  prefix: (_db, text) => slotsOf([{ indexed: '', pattern: `${escaped(text)}%` }]),
}

/** A word as the index is asked for it, and as a pattern. */
interface Lookup {
  readonly indexed: string
  readonly pattern: string
}

const none: Lookup = { indexed: '', pattern: '%' }

function slotsOf([first = none, second = none, third = none, fourth = none]: readonly Lookup[]): Words {
  return {
    first: first.indexed,
    firstPattern: first.pattern,
    second: second.indexed,
    secondPattern: second.pattern,
    third: third.indexed,
    thirdPattern: third.pattern,
    fourth: fourth.indexed,
    fourthPattern: fourth.pattern,
  }
}

/** SQLite looks for a phrase (sqlite.org/fts5.html section 3.1), PostgreSQL for a pattern. Short words are in no index. */
function lookUp(db: Queryable, word: string): Lookup {
  const pattern = `%${escaped(word)}%`
  if (isPostgres(db)) return { indexed: pattern, pattern }
  return lengthOf(word) < indexedLength
    ? { indexed: '', pattern }
    : { indexed: `"${word.replaceAll('"', '""')}"`, pattern: '%' }
}

/** Trigrams need three characters. */
const indexedLength = 3

const lengthOf = (word: string): number => Array.from(word).length

/** Longest first. Without a word that is in the index, the text is one word. Of more than four words, the longest count. */
function searchWords(text: string): string[] {
  const words = text.split(/\s+/u).filter(Boolean)
  if (words.every((word) => lengthOf(word) < indexedLength)) return [text]
  return [...new Set(words)].toSorted((one, other) => lengthOf(other) - lengthOf(one)).slice(0, 4)
}

/** For `escape '\'`: without it, the search for `____` would find everything. */
export const escaped = (text: string): string => text.replaceAll(/[%_\\]/g, (character) => `\\${character}`)

const hasBypassCode = (is: IsUser, now: Slot<number>): Expression<SqlBool> =>
  is.exists(
    is
      .selectFrom('bypassCode')
      .select('bypassCode.id')
      .whereRef('bypassCode.userId', '=', 'user.id')
      .where('bypassCode.usesRemaining', '>', 0)
      .where('bypassCode.expiresAt', '>', now),
  )

/** The domains that are looked at: those that are visible, or the one that was chosen. */
type Here = Slots<Pick<Visible, 'domainIds' | 'everyone'>>

const takesEmail = (is: IsUser, here: Here): Expression<SqlBool> =>
  is.and([
    is('user.email', '<>', ''),
    is.exists(
      is
        .selectFrom('member')
        .innerJoin('domain', 'domain.id', 'member.domainId')
        .select('domain.id')
        .whereRef('member.userId', '=', 'user.id')
        .where('domain.emailOtpEnabled', '=', 1)
        .where((isMember) =>
          isMember.or([sql<SqlBool>`${here.everyone} = 1`, isMember('domain.id', 'in', here.domainIds)]),
        ),
    ),
  ])

const isEnrolled = (is: IsUser, here: Here): Expression<SqlBool> =>
  isStrong(is, (isToken) =>
    isToken.or([sql<SqlBool>`${here.everyone} = 1`, isToken('token.domainId', 'in', here.domainIds)]),
  )

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

type Condition = (is: IsUser, now: Slot<number>, here: Here) => Expression<SqlBool>

const conditions: Readonly<Record<Filter, Condition>> = {
  none: () => sql<SqlBool>`1 = 1`,
  enrolled: (is, _now, here) => isEnrolled(is, here),
  locked: (is, now) => is.or([is('user.codesLockedUntil', '>', now), is('user.knownCodesLockedUntil', '>', now)]),
  bypass_code: hasBypassCode,
  inactive: isInactive,
  // The cheaper question first: most people have a strong factor.
  // A recovery code that is in use changes neither, as in the figures of the overview.
  no_factor: (is, _now, here) =>
    sql<SqlBool>`case when ${isEnrolled(is, here)} then 1 = 0 else not (${takesEmail(is, here)}) end`,
  only_email: (is, _now, here) =>
    sql<SqlBool>`case when ${isEnrolled(is, here)} then 1 = 0 else (${takesEmail(is, here)}) end`,
}

const isVisible = (is: IsUser, { everyone, domainIds }: Slots<Visible>) =>
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

/** Whether an administrator may know of a row: it belongs to the person as such, or to one of the domains. */
const isRowVisible = (is: ExpressionBuilder<Database, 'searchRow'>, { everyone, domainIds }: Slots<Visible>) =>
  is.or([
    sql<SqlBool>`${everyone} = 1`,
    is('searchRow.domainId', 'is', null),
    is('searchRow.domainId', 'in', domainIds),
  ])

/** Whether a word is in some visible row of a person. */
export const hasWord = (
  db: Queryable,
  is: IsUser,
  [indexed, pattern]: readonly [indexed: Slot<string>, pattern: Slot<string>],
  visible: Slots<Visible>,
): Expression<SqlBool> =>
  isPostgres(db)
    ? hasPattern(is, pattern, visible)
    : is.and([hasPattern(is, pattern, visible), hasIndexed(is, indexed, visible)])

const hasPattern = (is: IsUser, pattern: Slot<string>, visible: Slots<Visible>) =>
  is.or([
    sql<SqlBool>`${pattern} = '%'`,
    is.exists(
      is
        .selectFrom('searchRow')
        .select('searchRow.subject')
        .whereRef('searchRow.position', '=', 'user.sequence')
        .where((isRow) => isRowVisible(isRow, visible))
        .where(sql<SqlBool>`search_row.text like ${pattern} escape '\\'`),
    ),
  ])

/** The index is read once for a word, and not once for each person. */
const hasIndexed = (is: IsUser, indexed: Slot<string>, visible: Slots<Visible>) =>
  is.or([
    sql<SqlBool>`${indexed} = ''`,
    is(
      'user.sequence',
      'in',
      is
        .selectFrom('userSearch')
        .crossJoin('searchRow')
        .select('searchRow.position')
        .where(sql<SqlBool>`user_search match ${indexed}`)
        .whereRef('searchRow.id', '=', 'userSearch.rowid')
        .where((isRow) => isRowVisible(isRow, visible)),
    ),
  ])

interface Found {
  readonly id: string
  readonly sequence: number
}

/** One statement for each filter, because statements are not built in requests. */
function pagesOf(search: PeopleSearch) {
  const filters: readonly Filter[] = ['none', ...PeopleFilter.options]
  const entries = filters.map((filter) => [
    filter,
    allRows(`people ${search} ${filter}`, (db, of: Slots<PeopleSlots>) =>
      (search === 'search' ? searched(db, of) : db.selectFrom('user'))
        .select(['user.id', 'user.sequence'])
        .where('user.organizationId', '=', of.organizationId)
        .where('user.sequence', '>', of.after)
        .where(exists)
        .where((is) => conditions[filter](is, of.now, of))
        .where((is) => isVisible(is, of))
        .$if(search === 'prefix', (query) => query.where((is) => beginsWith(is, of.firstPattern)))
        .orderBy(positionOf(db, search))
        .limit(of.limit),
    ),
  ])
  return Object.fromEntries(entries) as Record<Filter, (db: Queryable, query: PeopleSlots) => Promise<Found[]>>
}

/** The index finds rows in the order of the users, so a page ends the search on SQLite. */
function searched(db: Queryable, of: Slots<PeopleSlots>) {
  const found = peopleFound(db, of)
  const first = derived(of.after, (after) => (after + 1) * rowsOfPerson)
  return isPostgres(db) ? found : found.where('userSearch.rowid', '>=', first)
}

/**
 * The people whom a text finds by what is visible of them, once for each row with the indexed word. SQLite takes the tables of a
 * cross join in their order (sqlite.org/optoverview.html section 8.2): the index first. The other way round it would search once
 * for each user.
 */
export function peopleFound(db: Queryable, of: Slots<Visible & Words>) {
  const rows = isPostgres(db)
    ? db.selectFrom(indexedOnPostgres(db, of.first)).crossJoin('user')
    : db
        .selectFrom('userSearch')
        .crossJoin('searchRow')
        .crossJoin('user')
        .where(sql<SqlBool>`user_search match ${of.first}`)
        .whereRef('searchRow.id', '=', 'userSearch.rowid')
  return (rows as SelectQueryBuilder<Database, 'userSearch' | 'searchRow' | 'user', object>)
    .whereRef('user.sequence', '=', 'searchRow.position')
    .where((is) => isRowVisible(is, of))
    .where((is) => is.and(furtherWords(of).map((word) => hasWord(db, is, word, of))))
}

/** The offset makes PostgreSQL plan this apart: it would walk through all people in their order, and look at the text of each. */
const indexedOnPostgres = (db: Queryable, pattern: Slot<string>) =>
  db
    .selectFrom('searchRow')
    .select(['searchRow.position', 'searchRow.domainId'])
    .where(sql<SqlBool>`search_row.text like ${pattern}`)
    .offset(sql.lit(0))
    .as('searchRow')

export const furtherWords = (of: Slots<Words>) =>
  [
    [of.second, of.secondPattern],
    [of.third, of.thirdPattern],
    [of.fourth, of.fourthPattern],
  ] as const

/** The order of the pages. SQLite knows only of the index itself that its rows come in their order. */
const positionOf = (db: Queryable, search: PeopleSearch) =>
  search === 'search' && !isPostgres(db) ? sql.ref('userSearch.rowid') : sql.ref('user.sequence')

export const beginsWith = (is: IsUser, text: Slot<string>): Expression<SqlBool> =>
  is.or([
    sql<SqlBool>`lower(${is.ref('user.username')}) like ${text} escape '\\'`,
    sql<SqlBool>`lower(${is.ref('user.name')}) like ${text} escape '\\'`,
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
  db
    .selectFrom('token')
    .innerJoin('domain', 'domain.id', 'token.domainId')
    .selectAll('token')
    .select('domain.keyType')
    .where('token.userId', '=', userId)
    .orderBy('token.createdAt'),
)

import { sql } from 'kysely'
import type { Expression, ExpressionBuilder, SelectQueryBuilder, SqlBool } from 'kysely'

import { PeopleFilter } from '../../../admin-contract/people.ts'
import type { Database, Queryable } from '../../engine/database/schema/schema.ts'
import { allValues, firstValue, isPostgres } from '../../engine/database/statement.ts'
import type { Slot, Slots } from '../../engine/database/statement.ts'
import type { IsUser } from '../factors/strong-factors.ts'
import type { Words } from './search-words.ts'
import { foldText, wordsOf, indexedOnPostgres } from './search-words.ts'
import type { Filter, FilterQuery, Visible } from './filters.ts'
import { inactiveSince, isVisible, levels, whereFound, whereMatches } from './filters.ts'

/** Lists are ordered by when people were added, by name, or by the last sign-in. */
export type PeopleOrder = 'added' | 'name up' | 'name down' | 'signedIn up' | 'signedIn down'

/** Some of the people who are found. */
export interface PeopleQuery extends FilterQuery {
  /** In the order in which people were added: limits the result to those after the one with this sequence. */
  readonly after: number
  readonly offset: number
  readonly limit: number
}

/** How a text finds people: all of them, by their positions, or by looking at each where it finds too many. */
type FoundKind = 'list' | 'found' | 'broad'

/** `few`: by looking at the people with some positions. */
type PeopleKind = FoundKind | 'few'

/** What was searched for: `listed` for everyone, else the people who were found, or the words of a text that finds too many. */
export interface FoundPeople<Kind = PeopleKind> {
  readonly kind: Kind
  readonly words: Words
  /** Sequences of users. */
  readonly positions: readonly number[]
}

interface PeopleSlots extends PeopleQuery, Words {
  readonly positions: readonly number[]
}

/** If a text finds more people, each person is compared with it in the order of the list, which then soon fills a page. */
const maxFound = 4000

/**
 * The people whom a text finds by what is visible of them.
 * @param text As it was typed, without control characters.
 */
export async function findPeople(
  db: Queryable,
  visible: Visible,
  text: string,
  limit: number = maxFound,
): Promise<FoundPeople<FoundKind>> {
  const words = wordsOf(db, await foldText(db, text))
  if (words.firstPattern === '%') return { kind: 'list', words, positions: [] }
  const find = words.first === '' ? positionsByPattern : positionsByIndex
  const foundPeople = await find(db, { ...visible, ...words }, limit + 1)
  if (foundPeople.length > limit) return { kind: 'broad', words, positions: [] }
  // Several rows of one person may contain the word.
  return { kind: 'found', words, positions: [...new Set(foundPeople)] }
}

/** @returns the ids of a page. */
export function pageOfPeople(
  db: Queryable,
  foundPeople: FoundPeople,
  query: PeopleQuery,
  { filter, order }: { readonly filter: Filter; readonly order: PeopleOrder },
): Promise<string[]> {
  if (isNobody(foundPeople)) return Promise.resolve([])
  const read = query.everyone === 1 ? pagesOfAll : pages
  return read[foundPeople.kind][order][filter](db, {
    ...query,
    ...foundPeople.words,
    positions: foundPeople.positions,
  })
}

/** @returns how many there are, and no more than the limit. */
export async function countPeople(
  db: Queryable,
  foundPeople: FoundPeople,
  query: Omit<PeopleQuery, 'after' | 'offset'>,
  filter: Filter,
): Promise<number> {
  if (isNobody(foundPeople)) return 0
  return counts[foundPeople.kind][filter](db, {
    ...query,
    ...foundPeople.words,
    positions: foundPeople.positions,
    after: 0,
    offset: 0,
  })
}

const isNobody = ({ kind, positions }: FoundPeople): boolean =>
  (kind === 'found' || kind === 'few') && positions.length === 0

/** Whether an administrator may know of a row: it belongs to the person as such, or to one of the domains. */
const isRowVisible = (is: ExpressionBuilder<Database, 'searchRow'>, { everyone, domainIds }: Slots<Visible>) =>
  is.or([
    sql<SqlBool>`${everyone} = 1`,
    is('searchRow.domainId', 'is', null),
    is('searchRow.domainId', 'in', domainIds),
  ])

/** Whether a word is in some visible row of a person. */
const hasWord = (
  db: Queryable,
  is: IsUser,
  [indexed, pattern]: readonly [indexed: Slot<string>, pattern: Slot<string>],
  visible: Slots<Visible>,
): Expression<SqlBool> =>
  isPostgres(db)
    ? hasPattern(is, pattern, visible)
    : is.and([
        is.or([sql<SqlBool>`${indexed} <> ''`, hasPattern(is, pattern, visible)]),
        hasIndexed(is, indexed, visible),
      ])

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

/** The same where many people are compared: the texts are read once for the word, and not once for each of them. */
const isAmongPattern = (is: IsUser, pattern: Slot<string>, visible: Slots<Visible>) =>
  is.or([
    sql<SqlBool>`${pattern} = '%'`,
    is(
      'user.sequence',
      'in',
      is
        .selectFrom('searchRow')
        .select('searchRow.position')
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

const columns = {
  added: ['personOrder.position'],
  name: ['personOrder.name', 'personOrder.position'],
  signedIn: ['personOrder.signedInAt', 'personOrder.position'],
} as const

const orders: Readonly<Record<PeopleOrder, readonly [by: keyof typeof columns, direction: 'asc' | 'desc']>> = {
  added: ['added', 'asc'],
  'name up': ['name', 'asc'],
  'name down': ['name', 'desc'],
  'signedIn up': ['signedIn', 'asc'],
  'signedIn down': ['signedIn', 'desc'],
}

const isBySignIn = (order: PeopleOrder): boolean => order === 'signedIn up' || order === 'signedIn down'

const kinds: readonly PeopleKind[] = ['list', 'found', 'broad', 'few']

const filters: readonly Filter[] = ['none', ...PeopleFilter.options]

const record = <K extends string, V>(keys: readonly K[], valueOf: (key: K) => V) =>
  Object.fromEntries(keys.map((key) => [key, valueOf(key)])) as Record<K, V>

/** A statement for each kind, order and filter, because statements are not built in requests. */
const pages = record(kinds, (kind) =>
  record(Object.keys(orders) as PeopleOrder[], (order) =>
    record(filters, (filter) =>
      allValues(`people ${kind} ${filter} ${order}`, (db, slots: Slots<PeopleSlots>) =>
        pageIn(order, matches(db, kind, filter, slots), slots)
          // The order by the last sign-in then passes over nobody who signed in since.
          .$if(isBySignIn(order) && filter === 'inactive', (query) =>
            query.where('personOrder.signedInAt', '<=', inactiveSince(slots)),
          ),
      ),
    ),
  ),
)

/**
 * The same for who sees every domain: people without a factor have their own index by the last sign-in, in which most of them
 * come last, because they never signed in.
 */
const pagesOfAll = record(kinds, (kind) =>
  record(Object.keys(orders) as PeopleOrder[], (order) =>
    record(filters, (filter) =>
      isBySignIn(order) && (filter === 'no_factor' || filter === 'only_email') && (kind === 'list' || kind === 'broad')
        ? allValues(`people ${kind} ${filter} of all ${order}`, (db, slots: Slots<PeopleSlots>) =>
            pageIn(order, matches(db, kind, filter, slots), slots).where('personOrder.factorLevel', '<', levels.strong),
          )
        : pages[kind][order][filter],
    ),
  ),
)

function pageIn(order: PeopleOrder, people: ReturnType<typeof matches>, slots: Slots<PeopleSlots>) {
  const [by, direction] = orders[order]
  return (
    columns[by]
      .reduce((rows, column) => rows.orderBy(column, direction), people)
      .select('user.id')
      // In another order, SQLite would take the index of this condition, and sort everyone.
      .$if(by === 'added', (query) => query.where('personOrder.position', '>', slots.after))
      .offset(slots.offset)
      .limit(slots.limit)
  )
}

const counts = record(kinds, (kind) =>
  record(filters, (filter) => {
    const count = firstValue(`people count ${kind} ${filter}`, (db, slots: Slots<PeopleSlots>) =>
      db
        .selectFrom(matches(db, kind, filter, slots).select('personOrder.position').limit(slots.limit).as('some'))
        .select(({ fn }) => fn.countAll<number | string>().as('count')),
    )
    return async (db: Queryable, query: PeopleSlots) => Number(await count(db, query))
  }),
)

/** The order of the tables is that of the list, whose index ends the search at the limit. */
function matches(db: Queryable, kind: PeopleKind, filter: Filter, slots: Slots<PeopleSlots>) {
  const people = db.selectFrom('personOrder').innerJoin('user', 'user.sequence', 'personOrder.position')
  const isFound = kind === 'found' || kind === 'few'
  return (isFound ? whereFound(db, people, { filter, slots }) : whereMatches(people, filter, slots))
    .$if(isFound, (query) => query.where('personOrder.position', 'in', slots.positions))
    .$if(kind === 'broad' || kind === 'few', (query) => query.where((is) => hasWords(is, slots, slots)))
}

/** Finds the position of each row with the indexed word. */
const positionsByIndex = allValues('positionsByIndex', (db, slots: Slots<Visible & Words>, limit: Slot<number>) =>
  peopleFound(db, slots)
    .select('user.sequence')
    .where('user.organizationId', '=', slots.organizationId)
    .where((is) => isVisible(is, slots))
    .limit(limit),
)

/** Reads the folded texts of everyone, for words that are in no index. */
const positionsByPattern = allValues('positionsByPattern', (db, slots: Slots<Visible & Words>, limit: Slot<number>) =>
  textsLike(db, slots.firstPattern)
    .select('user.sequence')
    .whereRef('user.sequence', '=', 'searchRow.position')
    .where((is) => isRowVisible(is, slots))
    .where('user.organizationId', '=', slots.organizationId)
    .where((is) => isVisible(is, slots))
    .where((is) => is.and(furtherWords(slots).map(([, pattern]) => isAmongPattern(is, pattern, slots))))
    .limit(limit),
)

/** SQLite takes the tables in this order: a person is looked up only for a text that fits. */
function textsLike(db: Queryable, pattern: Slot<string>) {
  const rows = isPostgres(db)
    ? db.selectFrom(indexedOnPostgres(db, pattern)).crossJoin('user')
    : db
        .selectFrom('searchRow')
        .crossJoin('user')
        .where(sql<SqlBool>`search_row.text like ${pattern} escape '\\'`)
  return rows as SelectQueryBuilder<Database, 'searchRow' | 'user', object>
}

/** Whether each word is in some visible row of a person, without the index. */
export const hasWords = (is: IsUser, slots: Slots<Words>, visible: Slots<Visible>): Expression<SqlBool> =>
  is.and(
    [slots.firstPattern, slots.secondPattern, slots.thirdPattern, slots.fourthPattern].map((pattern) =>
      hasPattern(is, pattern, visible),
    ),
  )

/**
 * The people whom a text finds by what is visible of them, once for each row with the indexed word. SQLite takes the tables of a
 * cross join in their order (sqlite.org/optoverview.html section 8.2): the index first. The other way round it would search once
 * for each user.
 */
function peopleFound(db: Queryable, slots: Slots<Visible & Words>) {
  const rows = isPostgres(db)
    ? db.selectFrom(indexedOnPostgres(db, slots.first)).crossJoin('user')
    : db
        .selectFrom('userSearch')
        .crossJoin('searchRow')
        .crossJoin('user')
        .where(sql<SqlBool>`user_search match ${slots.first}`)
        .whereRef('searchRow.id', '=', 'userSearch.rowid')
  return (rows as SelectQueryBuilder<Database, 'userSearch' | 'searchRow' | 'user', object>)
    .whereRef('user.sequence', '=', 'searchRow.position')
    .where((is) => isRowVisible(is, slots))
    .where((is) => is.and(furtherWords(slots).map((word) => hasWord(db, is, word, slots))))
}

const furtherWords = (slots: Slots<Words>) =>
  [
    [slots.second, slots.secondPattern],
    [slots.third, slots.thirdPattern],
    [slots.fourth, slots.fourthPattern],
  ] as const

import { sql } from 'kysely'
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'

import { StockFilter } from '../../contract/admin/stock.ts'
import { removeCodeGenerators } from './code-generators.ts'
import { hardwareTokens } from './hardware.ts'
import type { HardwareTokenRow } from './hardware.ts'
import { beginsWith, escaped, furtherWords, hasWord, peopleFound, wordsOf } from './people.ts'
import type { PeopleSearch } from './people.ts'
import type { Database, Queryable } from './schema.ts'
import { allRows, allValues, changesRow, firstRow } from './statement.ts'
import type { Slot, Slots } from './statement.ts'
import type { IsUser } from './strong-factors.ts'

/** A page of hardware tokens, in the order in which they were added. */
export interface StockQuery {
  readonly organizationId: string
  /** Only free tokens, and those of members of one of these, unless `everyone` is 1. */
  readonly domainIds: readonly string[]
  readonly everyone: 0 | 1
  /** Whether free tokens are shown. */
  readonly free: 0 | 1
  /** The sequence of the last token of the page before. */
  readonly after: number
  readonly limit: number
}

type Words = ReturnType<(typeof wordsOf)['search']>

interface StockSlots extends StockQuery, Words {
  /** A pattern for serial numbers. */
  readonly serial: string
  /** The people who were found, if they are not too many. */
  readonly people: readonly string[]
}

type Filter = StockFilter | 'none'

/** How tokens are found; `broad` for a text that finds too many people. */
type StockSearch = PeopleSearch | 'broad'

export type StockRow = HardwareTokenRow & { readonly sequence: number }

interface StockSearchOptions {
  readonly search: PeopleSearch
  readonly filter: Filter
  /** Lower case. */
  readonly text: string
  /** If a text finds more people, the name of each token's person is compared instead, which then soon fills a page. */
  readonly maxPeople?: number
}

/** Hardware tokens without the authenticator apps that people set up. */
export async function findStock(
  db: Queryable,
  query: StockQuery,
  { search, filter, text, maxPeople = 1000 }: StockSearchOptions,
): Promise<StockRow[]> {
  const words = wordsOf[search](db, text)
  const found = search === 'search' ? await foundPeople(db, { ...query, ...words }, maxPeople + 1) : []
  const isBroad = found.length > maxPeople
  const pattern = `${escaped(text)}%`
  return pages[isBroad ? 'broad' : search][filter](db, {
    ...query,
    ...words,
    serial: search === 'search' ? `%${pattern}` : pattern,
    people: isBroad ? [] : found,
  })
}

/** By what is visible of them: a device in another domain would otherwise be spelled out by the tokens that its name finds. */
const foundPeople = allValues('peopleOfStock', (db, of: Slots<StockQuery & Words>, limit: Slot<number>) =>
  peopleFound(db, of).select('user.id').where('user.organizationId', '=', of.organizationId).limit(limit),
)

type IsToken = ExpressionBuilder<Database, 'hardwareToken' | 'codeGenerator'>

const conditions: Readonly<Record<Filter, (is: IsToken) => Expression<SqlBool>>> = {
  none: () => sql<SqlBool>`1 = 1`,
  free: (is) => is('hardwareToken.userId', 'is', null),
  assigned: (is) => is('hardwareToken.userId', 'is not', null),
  // In a subquery, whose partial index has only the few that are.
  out_of_sync: (is) =>
    is(
      'hardwareToken.id',
      'in',
      is.selectFrom('codeGenerator as late').select('late.id').where('late.syncState', '=', 'Out of Sync'),
    ),
}

const isVisible = (is: IsToken, { everyone, free, domainIds }: Slots<StockSlots>) =>
  is.or([
    is.and([is('hardwareToken.userId', 'is', null), sql<SqlBool>`${free} = 1`]),
    is.and([is('hardwareToken.userId', 'is not', null), sql<SqlBool>`${everyone} = 1`]),
    is.exists(
      is
        .selectFrom('member')
        .select('member.userId')
        .whereRef('member.userId', '=', 'hardwareToken.userId')
        .where('member.domainId', 'in', domainIds),
    ),
  ])

const isMatch: Readonly<
  Record<StockSearch, (db: Queryable, is: IsToken, of: Slots<StockSlots>) => Expression<SqlBool>>
> = {
  list: () => sql<SqlBool>`1 = 1`,
  prefix: (_db, is, { serial, firstPattern }) =>
    is.or([
      hasSerial(is, serial),
      isOfPerson(is, (isUser) =>
        isUser.or([
          beginsWith(isUser, firstPattern),
          sql<SqlBool>`lower(${isUser.ref('user.email')}) like ${firstPattern} escape '\\'`,
        ]),
      ),
    ]),
  search: (_db, is, { serial, people }) => is.or([hasSerial(is, serial), is('hardwareToken.userId', 'in', people)]),
  broad: (db, is, of) =>
    is.or([
      hasSerial(is, of.serial),
      isOfPerson(is, (isUser) =>
        isUser.and(
          [[of.first, of.firstPattern] as const, ...furtherWords(of)].map((word) => hasWord(db, isUser, word, of)),
        ),
      ),
    ]),
}

const isOfPerson = (is: IsToken, condition: (isUser: IsUser) => Expression<SqlBool>): Expression<SqlBool> =>
  is.exists(
    is
      .selectFrom('user')
      .select('user.id')
      .whereRef('user.id', '=', 'hardwareToken.userId')
      .where((isUser) => condition(isUser as IsUser)),
  )

const hasSerial = (is: IsToken, serial: Slot<string>): Expression<SqlBool> =>
  sql<SqlBool>`lower(${is.ref('hardwareToken.serialNumber')}) like ${serial} escape '\\'`

/** One statement for each filter, because statements are not built in requests. */
function pagesOf(search: StockSearch) {
  const filters: readonly Filter[] = ['none', ...StockFilter.options]
  const entries = filters.map((filter) => [
    filter,
    allRows(`stock ${search} ${filter}`, (db, of: Slots<StockSlots>) =>
      hardwareTokens(db)
        .select('hardwareToken.sequence')
        .where('hardwareToken.organizationId', '=', of.organizationId)
        .where('hardwareToken.selfEnrolled', '=', 0)
        .where('hardwareToken.sequence', '>', of.after)
        .where((is) => conditions[filter](is))
        .where((is) => isVisible(is, of))
        .where((is) => isMatch[search](db, is, of))
        .orderBy('hardwareToken.sequence')
        .limit(of.limit),
    ),
  ])
  return Object.fromEntries(entries) as Record<Filter, (db: Queryable, query: StockSlots) => Promise<StockRow[]>>
}

const pages = {
  list: pagesOf('list'),
  search: pagesOf('search'),
  prefix: pagesOf('prefix'),
  broad: pagesOf('broad'),
}

/** In a transaction. @returns false for a token that belongs to a person, or is none. */
export async function removeFreeToken(db: Queryable, organizationId: string, id: string): Promise<boolean> {
  if (!(await deleteFreeToken(db, organizationId, id))) return false
  await removeCodeGenerators(db, [id])
  return true
}

/** One statement, so that no token is deleted that is being assigned. */
const deleteFreeToken = changesRow('deleteFreeToken', (db, organizationId: Slot<string>, id: Slot<string>) =>
  db
    .deleteFrom('hardwareToken')
    .where('id', '=', id)
    .where('organizationId', '=', organizationId)
    .where('userId', 'is', null),
)

/** Hardware tokens that are no authenticator app. */
export const stockTokenById = firstRow('stockTokenById', (db, organizationId: Slot<string>, id: Slot<string>) =>
  db
    .selectFrom('hardwareToken')
    .select('userId')
    .where('id', '=', id)
    .where('organizationId', '=', organizationId)
    .where('selfEnrolled', '=', 0),
)

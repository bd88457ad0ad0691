import { sql } from 'kysely'
import type { Expression, ExpressionBuilder, SqlBool } from 'kysely'

import { StockFilter } from '../../../admin-contract/stock.ts'
import { hardwareTokens } from '../factors/possessions.ts'
import type { HardwareTokenRow } from '../hardware/statements.ts'
import { findPeople, hasWords } from './statements.ts'
import { escaped, foldText } from './search-words.ts'
import type { Words } from './search-words.ts'
import type { Database, Queryable } from '../../engine/database/schema/schema.ts'
import { allRows, firstValue } from '../../engine/database/statement.ts'
import type { Slots } from '../../engine/database/statement.ts'
import type { IsUser } from '../factors/strong-factors.ts'

/** A page of hardware tokens, in the order in which they were added. */
export interface StockQuery {
  readonly organizationId: string
  /** Only free tokens, and those of members of one of these, unless `everyone` is 1. */
  readonly domainIds: readonly string[]
  readonly everyone: 0 | 1
  /** Whether free tokens are shown. */
  readonly free: 0 | 1
  readonly offset: number
  readonly limit: number
}

interface StockSlots extends StockQuery, Words {
  /** Patterns for serial numbers: one without accents, and one of what was typed. */
  readonly serial: string
  readonly typedSerial: string
  /** The sequences of the people who were found, if they are not too many. */
  readonly people: readonly number[]
}

type Filter = StockFilter | 'none'

export type StockRow = HardwareTokenRow & { readonly sequence: number }

interface StockSearchOptions {
  readonly filter: Filter
  /** The typed text, without control characters. */
  readonly text: string
  /** If a text finds more people, the person of each token is compared instead, which then soon fills a page. */
  readonly maxPeople?: number
}

/** Hardware tokens without the authenticator apps that people set up. */
export async function findStock(db: Queryable, query: StockQuery, options: StockSearchOptions): Promise<StockRow[]> {
  const { kind, slots } = await searched(db, query, options)
  return pages[kind][options.filter](db, slots)
}

/** @returns how many there are, and no more than the limit. */
export async function countStock(db: Queryable, query: StockQuery, options: StockSearchOptions): Promise<number> {
  const { kind, slots } = await searched(db, query, options)
  return Number(await counts[kind][options.filter](db, slots))
}

type StockKind = Awaited<ReturnType<typeof findPeople>>['kind']

/**
 * Tokens are found by a part of the serial number, of which two characters at least have to begin it, and by the person. A person is
 * found by what is visible: a device in another domain would otherwise be spelled out by the tokens that its name finds.
 */
async function searched(db: Queryable, query: StockQuery, { text, maxPeople = 1000 }: StockSearchOptions) {
  const { kind, words, positions } = await findPeople(db, query, text, maxPeople)
  const typed = text.trim()
  const serial = serialPattern(await foldText(db, typed))
  return { kind, slots: { ...query, ...words, serial, typedSerial: serialPattern(typed), people: positions } }
}

function serialPattern(text: string): string {
  const beginning = `${escaped(text)}%`
  return Array.from(text).length < 3 ? beginning : `%${beginning}`
}

type IsToken = ExpressionBuilder<Database, 'hardwareToken' | 'codeGenerator'>

const conditions: Readonly<Record<Filter, (is: IsToken) => Expression<SqlBool>>> = {
  none: () => sql<SqlBool>`1 = 1`,
  free: (is) => is('hardwareToken.userId', 'is', null),
  assigned: (is) => is('hardwareToken.userId', 'is not', null),
  // The subquery uses the partial index, which has only these few tokens.
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

const isMatch: Readonly<Record<StockKind, (is: IsToken, slots: Slots<StockSlots>) => Expression<SqlBool>>> = {
  list: () => sql<SqlBool>`1 = 1`,
  found: (is, slots) =>
    is.or([hasSerial(is, slots), isOfPerson(is, (isUser) => isUser('user.sequence', 'in', slots.people))]),
  broad: (is, slots) => is.or([hasSerial(is, slots), isOfPerson(is, (isUser) => hasWords(isUser, slots, slots))]),
}

const isOfPerson = (is: IsToken, condition: (isUser: IsUser) => Expression<SqlBool>): Expression<SqlBool> =>
  is.exists(
    is
      .selectFrom('user')
      .select('user.id')
      .whereRef('user.id', '=', 'hardwareToken.userId')
      .where((isUser) => condition(isUser as IsUser)),
  )

/** Serial numbers keep their accents, so that they are short to compare: those with one are found by it. */
function hasSerial(is: IsToken, { serial, typedSerial }: Slots<Pick<StockSlots, 'serial' | 'typedSerial'>>) {
  const stored = sql`lower(${is.ref('hardwareToken.serialNumber')})`
  return sql<SqlBool>`(${stored} like ${serial} escape '\\' or ${stored} like lower(${typedSerial}) escape '\\')`
}

const kinds: readonly StockKind[] = ['list', 'found', 'broad']

const filters: readonly Filter[] = ['none', ...StockFilter.options]

const record = <K extends string, V>(keys: readonly K[], valueOf: (key: K) => V) =>
  Object.fromEntries(keys.map((key) => [key, valueOf(key)])) as Record<K, V>

/** One statement for each filter, because statements are not built in requests. */
const pages = record(kinds, (kind) =>
  record(filters, (filter) =>
    allRows(`stock ${kind} ${filter}`, (db, slots: Slots<StockSlots>) =>
      matches(hardwareTokens(db), kind, filter, slots)
        .select('hardwareToken.sequence')
        .orderBy('hardwareToken.sequence')
        .offset(slots.offset)
        .limit(slots.limit),
    ),
  ),
)

const counts = record(kinds, (kind) =>
  record(filters, (filter) =>
    firstValue(`stock count ${kind} ${filter}`, (db, slots: Slots<StockSlots>) =>
      db
        .selectFrom(matches(hardwareTokens(db), kind, filter, slots).limit(slots.limit).as('some'))
        .select(({ fn }) => fn.countAll<number | string>().as('count')),
    ),
  ),
)

const matches = (
  tokens: ReturnType<typeof hardwareTokens>,
  kind: StockKind,
  filter: Filter,
  slots: Slots<StockSlots>,
) =>
  tokens
    .where('hardwareToken.organizationId', '=', slots.organizationId)
    .where('hardwareToken.selfEnrolled', '=', 0)
    .where((is) => conditions[filter](is))
    .where((is) => isVisible(is, slots))
    .where((is) => isMatch[kind](is, slots))

import { sql } from 'kysely'
import type { SqlBool } from 'kysely'

import { sqliteFold } from '../../engine/database/schema/fold.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { firstValue, isPostgres } from '../../engine/database/statement.ts'
import type { Slot } from '../../engine/database/statement.ts'

/**
 * What a text is looked for as. Each word has to be in some row of the person that is visible: the first one is looked up in the
 * index, and up to three others are checked by a pattern, or by the index of SQLite. Words of fewer than three characters are in
 * no index, and are compared with the folded texts.
 */
export interface Words {
  readonly first: string
  readonly firstPattern: string
  readonly second: string
  readonly secondPattern: string
  readonly third: string
  readonly thirdPattern: string
  readonly fourth: string
  readonly fourthPattern: string
}

/** A text without case and accents, by the same SQL that folded what it is compared with. */
export const foldText = async (db: Queryable, text: string): Promise<string> =>
  text === '' ? '' : ((await foldedText(db, text)) ?? '')

const foldedText = firstValue('foldedText', (db, text: Slot<string>) =>
  db
    .selectFrom(sql<{ text: string }>`(select cast(${text} as text) as text)`.as('typed'))
    .select(
      sql<string>`${sql.raw(isPostgres(db) ? 'search_fold(typed.text)' : sqliteFold('typed.text'))}`.as('folded'),
    ),
)

/** @param text Folded. */
export const wordsOf = (db: Queryable, text: string): Words =>
  slotsOf(searchWords(text).map((word) => lookUp(db, word)))

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
  if (lengthOf(word) < indexedLength) return { indexed: '', pattern }
  return { indexed: isPostgres(db) ? pattern : `"${word.replaceAll('"', '""')}"`, pattern }
}

/** Trigrams need three characters. */
const indexedLength = 3

const lengthOf = (word: string): number => Array.from(word).length

/** Longest first. Of more than four words, the longest count. */
const searchWords = (text: string): string[] =>
  [...new Set(text.split(/\s+/u).filter(Boolean))]
    .toSorted((first, second) => lengthOf(second) - lengthOf(first))
    .slice(0, 4)

/** Escapes a text for `escape '\'`: without it, the search for `____` would find everything. */
export const escaped = (text: string): string => text.replaceAll(/[%_\\]/g, (character) => `\\${character}`)

/** The offset makes PostgreSQL plan this apart: it would walk through all people in their order, and look at the text of each. */
export const indexedOnPostgres = (db: Queryable, pattern: Slot<string>) =>
  db
    .selectFrom('searchRow')
    .select(['searchRow.position', 'searchRow.domainId'])
    .where(sql<SqlBool>`search_row.text like ${pattern}`)
    .offset(sql.lit(0))
    .as('searchRow')

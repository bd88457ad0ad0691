import type BetterSqlite3 from 'better-sqlite3'

import { tablesOf } from './empty-tables.ts'

interface Column {
  readonly name: string
  readonly type: string
}

/** Rows for each table that is empty. */
const count = 3

/**
 * Puts rows into each empty table of a SQLite database, also into those that a later migration adds. The values have the types of their
 * columns and mean nothing; their text is no ASCII alone.
 * @param except Tables that stay empty.
 */
export function fillTables(database: BetterSqlite3.Database, except: readonly string[]): void {
  const tables = tablesOf(database).filter((name) => !name.startsWith('sqlite_') && !except.includes(name))
  const filled = new Set<string>()
  const fill = (table: string): void => {
    if (filled.has(table)) return
    filled.add(table)
    const references = database.pragma(`foreign_key_list("${table}")`) as { table: string; from: string; to: string }[]
    for (const reference of references) fill(reference.table)
    if (database.prepare(`select 1 from "${table}"`).get() !== undefined) return
    const columns = database.pragma(`table_info("${table}")`) as Column[]
    const insert = database.prepare(`insert or ignore into "${table}" values (${columns.map(() => '?').join()})`)
    for (let number = 1; number <= count; number += 1) {
      insert.run(
        columns.map((column) => {
          const reference = references.find(({ from }) => from === column.name)
          return reference ? valueOf(database, reference, number) : newValue(table, column, number)
        }),
      )
    }
  }
  tables.forEach(fill)
}

/** A value that a foreign key may have. */
function valueOf(
  database: BetterSqlite3.Database,
  { table, to }: { table: string; to: string },
  number: number,
): unknown {
  const values = database.prepare(`select "${to}" from "${table}" order by rowid`).pluck().all()
  return values[(number - 1) % values.length]
}

const newValue = (table: string, { name, type }: Column, number: number) =>
  type.toLowerCase() === 'text' ? `${table}.${name} "Łódź" 日本 😀 ${number}` : number

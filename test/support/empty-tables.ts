import type BetterSqlite3 from 'better-sqlite3'

/** The index of the search, which is a virtual table over tables of its own. Triggers delete from it with each row of the search. */
const index = 'user_search'

/** @returns a function that deletes all rows of the tables that are empty now, and begins again with their numbers. */
export function createEmptying(database: BetterSqlite3.Database): () => void {
  const tables = tablesOf(database).filter((name) => isEmpty(database, name))
  const statements = [
    database.prepare('begin'),
    ...childrenFirst(database, tables).map((name) => database.prepare(`delete from "${name}"`)),
    database.prepare('commit'),
  ]
  return () => {
    for (const statement of statements) statement.run()
  }
}

/** `sqlite_sequence`, which has the last number of each table, is one of them. */
export const tablesOf = (database: BetterSqlite3.Database): string[] =>
  database
    .prepare<[], string>(`select name from sqlite_schema where type = 'table'`)
    .pluck()
    .all()
    .filter((name) => name !== index && !name.startsWith(`${index}_`))

const isEmpty = (database: BetterSqlite3.Database, table: string): boolean =>
  database.prepare(`select 1 from "${table}" limit 1`).get() === undefined

/** So that no row is deleted that another one refers to. */
function childrenFirst(database: BetterSqlite3.Database, tables: readonly string[]): string[] {
  const parents = new Map(tables.map((table) => [table, parentsOf(database, table)]))
  const ordered = new Set<string>()
  const visit = (table: string): void => {
    for (const child of tables) if (child !== table && parents.get(child)?.includes(table)) visit(child)
    ordered.add(table)
  }
  tables.forEach(visit)
  return [...ordered]
}

const parentsOf = (database: BetterSqlite3.Database, table: string): string[] =>
  (database.pragma(`foreign_key_list("${table}")`) as { table: string }[]).map((reference) => reference.table)

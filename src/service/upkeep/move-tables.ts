import type BetterSqlite3 from 'better-sqlite3'
import { sql } from 'kysely'

import { RefusalError } from '../engine/base/errors.ts'
import { postgresEngine } from '../engine/database/schema/engine-postgres.ts'
import { migrations } from '../engine/database/schema/migrations.ts'
import { ownObjects } from '../engine/database/schema/own-objects.ts'
import type { Queryable } from '../engine/database/schema/schema.ts'

/** A table of a SQLite database, by its name and columns in SQL. */
export interface MovedTable {
  readonly name: string
  readonly columns: readonly string[]
  /** The column and last value of numbers that are never used again. */
  readonly numbers: { readonly column: string; readonly last: number } | undefined
}

/** Tables whose rows are not copied, and why. */
export const notCopied: Readonly<Record<string, string>> = {
  person_order: 'triggers of PostgreSQL write it',
  search_row: 'triggers of PostgreSQL write it',
  key_node: 'no process uses the new database yet',
}

/** Tables whose rows triggers write, so that both databases have the same number of them. */
const written = ['person_order', 'search_row']

/** Bytes of JSON per statement. Images take up to a few hundred kilobytes each. */
const batchSize = 1024 * 1024

/** All tables of PostgreSQL that the migrations make, as far as the SQLite database has them. Each comes after those that it refers to. */
export function tablesOf(source: BetterSqlite3.Database): readonly MovedTable[] {
  const { owners } = ownObjects(Object.values(migrations(postgresEngine)).flat())
  const names = source.prepare<[], string>(`SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`).pluck()
  const last = new Map(source.prepare<[], [string, number]>('SELECT name, seq FROM sqlite_sequence').raw().all())
  const own = names.all().filter((name) => owners.has(name))
  return parentsFirst(source, own).map((name) => describeTable(source, name, last.get(name)))
}

function describeTable(source: BetterSqlite3.Database, name: string, last = 0): MovedTable {
  const columns = source.pragma(`table_info("${name}")`) as { readonly name: string; readonly pk: number }[]
  const key = columns.find(({ pk }) => pk === 1)?.name
  return {
    name,
    columns: columns.map((column) => column.name),
    numbers: last > 0 && key !== undefined ? { column: key, last } : undefined,
  }
}

/** So that no row refers to one that is not there yet. */
function parentsFirst(source: BetterSqlite3.Database, names: readonly string[]): string[] {
  const ordered = new Set<string>()
  const visit = (name: string): void => {
    const references = source.pragma(`foreign_key_list("${name}")`) as { readonly table: string }[]
    for (const { table } of references) if (table !== name && !ordered.has(table)) visit(table)
    ordered.add(name)
  }
  names.forEach(visit)
  return [...ordered]
}

export const countRows = (source: BetterSqlite3.Database, { name }: MovedTable): number =>
  source.prepare<[], number>(`SELECT count(*) FROM "${name}"`).pluck().get() ?? 0

/** The number of rows of each table that has some. */
export async function rowsOf(db: Queryable, tables: readonly MovedTable[]): Promise<ReadonlyMap<string, number>> {
  const counts = tables.map(
    ({ name }) => sql`select ${sql.lit(name)} as name, count(*) as count from ${sql.table(name)}`,
  )
  const { rows } = await sql<{ name: string; count: number }>`${sql.join(counts, sql` union all `)}`.execute(db)
  return new Map(rows.filter(({ count }) => count > 0).map(({ name, count }) => [name, count]))
}

/** Nobody else writes these until the transaction ends. */
export async function lockTables(db: Queryable, tables: readonly MovedTable[]): Promise<void> {
  await sql`lock table ${sql.join(tables.map(({ name }) => sql.table(name)))} in share row exclusive mode`.execute(db)
}

/** @param copied Called with the number of rows that were copied since the last call. */
export async function copyTables(
  source: BetterSqlite3.Database,
  db: Queryable,
  tables: readonly MovedTable[],
  copied: (rows: number) => void,
): Promise<void> {
  for (const table of tables) {
    if (!(table.name in notCopied)) await copyRows(source, db, table, copied)
    await continueNumbers(db, table)
  }
  // PostgreSQL looks once a minute by itself; until then it reads whole tables that it takes for small.
  await sql`analyze ${sql.join(tables.map(({ name }) => sql.table(name)))}`.execute(db)
}

async function copyRows(
  source: BetterSqlite3.Database,
  db: Queryable,
  { name, columns }: MovedTable,
  copied: (rows: number) => void,
): Promise<void> {
  const table = sql.table(name)
  const list = sql.join(columns.map((column) => sql.ref(column)))
  const rows = source.prepare(`SELECT ${columns.map((column) => `"${column}"`).join(', ')} FROM "${name}"`).iterate()
  for (const batch of batches(rows)) {
    // Each value gets the type of its column. Neither database has binary data or dates.
    const json = `[${batch.join()}]`
    await sql`insert into ${table} (${list}) select ${list} from json_populate_recordset(null::${table}, ${json}::json)`
      .execute(db)
      .catch((error: unknown) => refuseRow(name, error))
    copied(batch.length)
  }
}

function* batches(rows: Iterable<unknown>): Iterable<string[]> {
  let batch: string[] = []
  let size = 0
  for (const row of rows) {
    const json = JSON.stringify(row)
    batch.push(json)
    size += json.length
    if (size < batchSize) continue
    yield batch
    batch = []
    size = 0
  }
  if (batch.length > 0) yield batch
}

/** Data exceptions and violated constraints (PostgreSQL's manual, appendix A). Their messages may contain values. */
function refuseRow(table: string, cause: unknown): never {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  if (!/^2[23]/.test(code)) throw cause
  throw new RefusalError(
    `PostgreSQL rejects a row of the table ${table} (SQLSTATE ${code}). Correct that row in the SQLite file, then try again.`,
    { cause },
  )
}

/** The next row gets the number that it would have got before, also where the last rows were deleted. */
async function continueNumbers(db: Queryable, { name, numbers }: MovedTable): Promise<void> {
  if (!numbers) return
  await sql`select setval(pg_get_serial_sequence(${`"${name}"`}, ${numbers.column}), ${numbers.last})`.execute(db)
}

/** @throws {Error} where a table of the copy has other than all rows. */
export async function compareRows(
  source: BetterSqlite3.Database,
  db: Queryable,
  tables: readonly MovedTable[],
): Promise<Readonly<Record<string, number>>> {
  const compared = tables.filter(({ name }) => !(name in notCopied) || written.includes(name))
  const counts = await rowsOf(db, compared)
  for (const table of compared) {
    const [expected, actual] = [countRows(source, table), counts.get(table.name) ?? 0]
    if (actual === expected) continue
    throw new RefusalError(`The copy of the table ${table.name} has ${actual} rows, and the original ${expected}.`)
  }
  return Object.fromEntries(compared.map(({ name }) => [name, counts.get(name) ?? 0]))
}

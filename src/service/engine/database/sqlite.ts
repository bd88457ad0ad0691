import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'

import type BetterSqlite3 from 'better-sqlite3'
import { CamelCasePlugin } from 'kysely'

import { loadSqlite } from './load-sqlite.ts'
import { migrate } from './schema/migrate.ts'
import { sqliteEngine } from './schema/engine-sqlite.ts'
import type { Database } from './schema/schema.ts'
import { createSqliteDialect } from './sqlite-dialect.ts'
import { nameSqliteOutage, whileBusy } from './sqlite-outage.ts'
import { explainDamage, refuseEmptyFile, watchSoundness } from './sqlite-soundness.ts'
import type { FindProblem } from './sqlite-soundness.ts'
import { createWriter } from './sqlite-writer.ts'
import { NoDatabaseError } from '../base/store-errors.ts'
import type { OpenOptions, Store } from './store.ts'
import { WatchedDatabase } from './transaction-ends.ts'
import { createWriteHealth } from './write-health.ts'

/** How often the file is checked for changes of other processes while requests wait, milliseconds. */
const watchInterval = 50
/** How long a change waits for another process that locks the file, from its arrival on; milliseconds. */
const writeTimeout = 2_000
/** The same while the file is opened, when the other process may be migrating it. */
const openTimeout = 10_000

/**
 * @param file Path of the database, or `:memory:`, which never exists before.
 * @throws {NoDatabaseError} where there is none and it may not be created.
 * @throws {DatabaseFileError} when the file is empty or damaged.
 * @throws {NewerSchemaError} when a newer version of this package has used it.
 * @throws {OtherBuildError} when another build has made it.
 * @throws {ForeignDatabaseError} when another app has.
 */
export async function openSqliteStore(
  file: string,
  { create = true, check = true, timeout: requestTime }: OpenOptions = {},
): Promise<Store> {
  // Opening creates the file. A file without a schema is detected later.
  if (!create && !existsSync(file)) throw new NoDatabaseError()
  await refuseEmptyFile(file)
  const database = await open(file)
  const reader = database.memory ? undefined : await openReader(file, database)
  let opened = false
  const writes = createWriteHealth()
  const writer = createWriter(database, {
    timeout: () => (opened ? writeTimeout : openTimeout),
    requestTime,
    failed(error) {
      const outage = nameSqliteOutage(error)
      if (outage !== error) writes.failed()
      return outage
    },
  })
  const dialect = createSqliteDialect({ writer, reader })
  const db = new WatchedDatabase<Database>({ dialect, plugins: [new CamelCasePlugin()] })
  const close = () => {
    // The last connection to close clears the log of changes, which one that only reads cannot do.
    reader?.close()
    database.close()
  }
  let created: boolean
  let findProblem: FindProblem = () => undefined
  try {
    if (check && !database.memory) findProblem = watchSoundness(database, file)
    created = (await migrate(db, sqliteEngine, create)) || database.memory
    if (database.memory) newInMemory ??= database.serialize()
  } catch (error) {
    close()
    throw explainDamage(error, file)
  }
  opened = true
  // A savepoint keeps the former pages of what it changes. Above 64 KB SQLite would write them into a temporary file: 25 pages
  // for a sign-in. It also sorts in memory from here on, so this comes after the migrations, which sort whole tables.
  database.pragma('temp_store = MEMORY')
  // A checkpoint copies changed pages from the log into the file. By default it comes after 1,000 pages, and copies those again
  // that each sign-in changes: 2 to 3 % of its time. Up to 4,062 pages, the log has one index (sqlite.org/walformat.html, 2.3).
  database.pragma('wal_autocheckpoint = 4000')
  return {
    db,
    created,
    // The version of the connection that writes does not rise at our own changes; that of a reader does.
    watchOtherProcesses: (changed) =>
      database.memory ? () => {} : watchDataVersion(database, () => changed('something')),
    // A SQLite file is only replaced while the service is stopped.
    watchReconnects: () => () => {},
    // They look at the file.
    notifyOtherProcesses: () => {},
    // It chooses its indexes by their columns.
    analyze: () => Promise.resolve(),
    problem: async () => findProblem() ?? (await writes.problem(db)),
    async close() {
      await db.destroy()
      close()
    },
  }
}

/**
 * A database in memory with the present schema and no row. Tests open one each, and a copy takes a twentieth of the time of
 * the migrations.
 */
let newInMemory: Buffer | undefined

async function open(file: string): Promise<BetterSqlite3.Database> {
  const Sqlite = await loadSqlite()
  if (file !== ':memory:') createPrivately(file)
  // Waiting inside SQLite would stall the event loop: `whileBusy` waits outside.
  const database = new Sqlite(file === ':memory:' ? (newInMemory ?? file) : file, { timeout: 0 })
  try {
    await whileBusy(performance.now() + openTimeout, () => {
      database.pragma('journal_mode = WAL')
      database.pragma('synchronous = FULL')
      database.pragma('foreign_keys = ON')
    })
  } catch (error) {
    database.close()
    throw nameSqliteOutage(explainDamage(error, file))
  }
  return database
}

/** Reads committed data while the other connection writes, or waits for another process that writes. */
async function openReader(file: string, writer: BetterSqlite3.Database): Promise<BetterSqlite3.Database> {
  const Sqlite = await loadSqlite()
  try {
    return new Sqlite(file, { timeout: 0, readonly: true, fileMustExist: true })
  } catch (error) {
    writer.close()
    throw nameSqliteOutage(error)
  }
}

/** Creates a file that only its owner can read. SQLite gives the files beside it the same mode. */
function createPrivately(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  closeSync(openSync(file, 'a', 0o600))
}

function watchDataVersion(database: BetterSqlite3.Database, changed: () => void): () => void {
  const version = database.prepare<[], number>('PRAGMA data_version').pluck()
  let lastVersion = version.get()
  const look = () => {
    const currentVersion = version.get()
    if (currentVersion === lastVersion) return
    lastVersion = currentVersion
    changed()
  }
  const timer = setInterval(() => {
    try {
      if (database.open) look()
    } catch {
      // Waiting requests then read the database and report the problem in their responses.
      changed()
    }
  }, watchInterval)
  timer.unref()
  return () => clearInterval(timer)
}

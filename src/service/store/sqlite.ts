import { closeSync, mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'

import type BetterSqlite3 from 'better-sqlite3'
import { CamelCasePlugin } from 'kysely'

import type { Engine } from './migrations/engine.ts'
import { migrate } from './migrations/migrate.ts'
import type { Database } from './schema.ts'
import { whileBusy } from './sqlite-busy.ts'
import { createSqliteDialect } from './sqlite-dialect.ts'
import type { Store } from './store.ts'
import { WatchedDatabase } from './transaction-ends.ts'

/** How often a file is looked at for changes of other processes while somebody waits, milliseconds. */
const watchInterval = 50

/** @param file Path of the database, made where there is none, or `:memory:`. */
export async function openSqliteStore(file: string): Promise<Store> {
  const database = await open(file)
  const db = new WatchedDatabase<Database>({ dialect: createSqliteDialect(database), plugins: [new CamelCasePlugin()] })
  try {
    await migrate(db, sqliteEngine)
  } catch (error) {
    database.close()
    throw error
  }
  return {
    db,
    watchOthers: (changed) => (database.memory ? () => {} : watchDataVersion(database, () => changed('something'))),
    // They look at the file.
    tellOthers: () => {},
    // It chooses its indexes by their columns.
    takeStock: () => Promise.resolve(),
    close: () => db.destroy(),
  }
}

const sqliteEngine: Engine = {
  sequenceType: 'integer',
  sequence: (column) => column.primaryKey().autoIncrement(),
  exactText: 'text',
}

async function open(file: string): Promise<BetterSqlite3.Database> {
  const Sqlite = await load()
  if (file !== ':memory:') createPrivately(file)
  // Waiting inside SQLite would stall the event loop: `whileBusy` waits outside.
  const database = new Sqlite(file, { timeout: 0 })
  try {
    await whileBusy(() => {
      database.pragma('journal_mode = WAL')
      database.pragma('synchronous = FULL')
      database.pragma('foreign_keys = ON')
    })
  } catch (error) {
    database.close()
    throw error
  }
  return database
}

async function load(): Promise<typeof BetterSqlite3> {
  try {
    const { default: Sqlite } = await import('better-sqlite3')
    return Sqlite
  } catch (cause) {
    throw new Error('The service keeps its data with better-sqlite3: npm install better-sqlite3', { cause })
  }
}

/** Nobody else on the machine reads it. SQLite gives the files beside it the same mode. */
function createPrivately(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  closeSync(openSync(file, 'a', 0o600))
}

function watchDataVersion(database: BetterSqlite3.Database, changed: () => void): () => void {
  const version = database.prepare<[], number>('PRAGMA data_version').pluck()
  let seen = version.get()
  const look = () => {
    const present = version.get()
    if (present === seen) return
    seen = present
    changed()
  }
  const timer = setInterval(() => {
    try {
      if (database.open) look()
    } catch {
      // Whoever waits reads, and finds out what is wrong where it can be answered.
      changed()
    }
  }, watchInterval)
  timer.unref()
  return () => clearInterval(timer)
}

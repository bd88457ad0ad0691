import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'

import type BetterSqlite3 from 'better-sqlite3'
import { Kysely, SqliteDialect } from 'kysely'

import { flushFile, flushFolder } from '../../ground/flush.ts'
import type { Head } from '../engine/audit/verify-chains.ts'
import { loadSqlite } from '../engine/database/load-sqlite.ts'
import { DatabaseFileError, ForeignDatabaseError } from '../engine/base/store-errors.ts'
import { sqliteEngine } from '../engine/database/schema/engine-sqlite.ts'
import { requireFormerSchema } from '../engine/database/schema/former-schemas.ts'
import { countMigrations } from '../engine/database/schema/applied-migrations.ts'
import { knownMigrations } from '../engine/database/schema/known-migrations.ts'
import { unmarkMoved } from '../engine/database/schema/move-mark.ts'
import type { Database } from '../engine/database/schema/schema.ts'

/**
 * Copies a database that may be in use. The copy is one read snapshot with every change acknowledged before it.
 * `VACUUM INTO` reads all pages in one step. Copying the files, or a backup in several steps, is not sound while others write.
 * @throws {DatabaseFileError} if the copy exists, or if the database or the copy is damaged.
 */
export async function copyDatabase(from: string, to: string): Promise<void> {
  if (existsSync(to)) throw new DatabaseFileError(`${to} exists. Choose another name, or remove it.`)
  const scratch = `${to}.part`
  rmSync(scratch, { force: true })
  try {
    // Only the owner may read it, from the first byte on. SQLite writes into an empty file.
    closeSync(openSync(scratch, 'wx', 0o600))
    const source = await openReadOnly(from)
    try {
      source.prepare('VACUUM INTO ?').run(scratch)
    } finally {
      source.close()
    }
    await checkDatabase(scratch)
    flushFile(scratch)
    renameSync(scratch, to)
    flushFolder(dirname(to))
  } finally {
    rmSync(scratch, { force: true })
  }
}

/**
 * Verifies a whole database file, including its indexes.
 * @throws {DatabaseFileError} if it is damaged, empty, or not a database.
 */
export async function checkDatabase(file: string): Promise<void> {
  const stats = statSync(file)
  if (!stats.isFile()) throw new DatabaseFileError(`${file} is not a regular file. Choose another path.`)
  if (stats.size === 0) throw new DatabaseFileError(`${file} is empty.`)
  const database = await openReadOnly(file)
  try {
    const problem = database.prepare<[], string>('PRAGMA quick_check(1)').pluck().get()
    if (problem !== 'ok') throw new DatabaseFileError(`${file} is damaged (${problem}). Restore a backup.`)
  } catch (error) {
    throw fileErrorOf(file, error)
  } finally {
    database.close()
  }
}

/**
 * Compares the schema of a database file with that of this build. An earlier schema is accepted, because opening the database
 * upgrades it.
 * @param options.moved Whether a database that was moved to another place is accepted, too.
 * @returns whether it is earlier.
 * @throws {NewerSchemaError | OtherBuildError | ForeignDatabaseError} if this build cannot open it.
 */
export async function checkSchema(file: string, options: { readonly moved?: boolean } = {}): Promise<boolean> {
  const db = new Kysely<Database>({ dialect: new SqliteDialect({ database: await openReadOnly(file) }) })
  try {
    // One snapshot is read, because another process may migrate the database meanwhile.
    return await db.transaction().execute(async (snapshot) => {
      const count = await countMigrations(snapshot, sqliteEngine, options)
      if (count === 0)
        throw new ForeignDatabaseError(`${file} is not a database of second-factor. Choose another file.`)
      await requireFormerSchema(snapshot, sqliteEngine, count)
      return count < knownMigrations.length
    })
  } finally {
    await db.destroy()
  }
}

/**
 * Ensures that no other process has the database open.
 * @throws {DatabaseFileError} if another process has it open.
 */
export async function requireUnused(file: string): Promise<void> {
  if (!existsSync(file) || statSync(file).size === 0) return
  try {
    const database = await lockDatabase(file)
    database.close()
  } catch (error) {
    // No process can use a damaged file, and it is about to be replaced.
    if (error instanceof DatabaseFileError) throw error
  }
}

/**
 * Opens a database that no other process has open, and keeps it so until it is closed.
 * `BEGIN EXCLUSIVE` succeeds even if another process has it open but idle; a connection in exclusive mode does not.
 * @throws {DatabaseFileError} if another process has it open.
 */
export async function lockDatabase(file: string): Promise<BetterSqlite3.Database> {
  const Sqlite = await loadSqlite()
  const database = new Sqlite(file, { timeout: 0, fileMustExist: true })
  try {
    database.pragma('locking_mode = EXCLUSIVE')
    database.exec('BEGIN IMMEDIATE; ROLLBACK')
    // better-sqlite3 sets SQLITE_DEFAULT_WAL_SYNCHRONOUS to 1: a power cut could undo a change that was committed.
    database.pragma('synchronous = FULL')
    return database
  } catch (error) {
    database.close()
    if (!isCode(error, 'SQLITE_BUSY')) throw error
    throw new DatabaseFileError(`${file} is in use. Stop every service and command that uses it first.`, {
      cause: error,
    })
  }
}

/** The head of each audit chain in a database file. Kept elsewhere, the heads reveal changes of the file. */
export async function readAuditHeads(file: string): Promise<Head[]> {
  const database = await openReadOnly(file)
  try {
    return auditHeadsOf(database)
  } finally {
    database.close()
  }
}

/** The same of an open database. */
export const auditHeadsOf = (database: BetterSqlite3.Database): Head[] =>
  // SQLite takes the other columns from the row that has the max() value.
  database
    .prepare<[], Head>('SELECT writer, max(sequence) AS sequence, hash FROM audit GROUP BY writer ORDER BY writer')
    .all()

/** Makes a copy of a database usable that was moved to another place. */
export async function removeMoveMark(file: string): Promise<void> {
  const database = await lockDatabase(file)
  try {
    unmarkMoved(database)
  } finally {
    database.close()
  }
}

/** Where a file is that may be reached by a symbolic link. SQLite follows links, and has the write-ahead log beside the file itself. */
export const realFile = (file: string): string => (existsSync(file) ? realpathSync(file) : file)

/** Copies a file, readable by its owner only, and flushes the copy to disk. */
export function copyPrivately(from: string, to: string): void {
  rmSync(to, { force: true })
  closeSync(openSync(to, 'wx', 0o600))
  copyFileSync(from, to)
  chmodSync(to, 0o600)
  flushFile(to)
}

/**
 * Replaces a database by a file. The old database and its write-ahead log are renamed, because the old log would corrupt the
 * new file.
 * @returns the new path of the old database; undefined if there was none.
 */
export function replaceDatabase(file: string, by: string, now: number): string | undefined {
  const old = existsSync(file) ? `${file}.replaced-${now}` : undefined
  for (const suffix of ['-wal', '-shm']) {
    if (!existsSync(file + suffix)) continue
    if (old === undefined) rmSync(file + suffix)
    else renameSync(file + suffix, old + suffix)
  }
  if (old !== undefined) renameSync(file, old)
  renameSync(by, file)
  flushFolder(dirname(file))
  return old
}

async function openReadOnly(file: string): Promise<BetterSqlite3.Database> {
  const Sqlite = await loadSqlite()
  try {
    const database = new Sqlite(file, { readonly: true, fileMustExist: true, timeout: 5_000 })
    database.pragma('schema_version')
    return database
  } catch (error) {
    throw fileErrorOf(file, error)
  }
}

function fileErrorOf(file: string, error: unknown): unknown {
  if (isCode(error, 'SQLITE_NOTADB')) return new DatabaseFileError(`${file} is not a database.`, { cause: error })
  if (isCode(error, 'SQLITE_CORRUPT'))
    return new DatabaseFileError(`${file} is damaged. Restore a backup.`, { cause: error })
  if (isCode(error, 'SQLITE_CANTOPEN')) {
    const advice = 'Check its owner and mode. From a read-only disk, copy it to another first.'
    return new DatabaseFileError(`${file} cannot be opened. ${advice}`, { cause: error })
  }
  if (isCode(error, 'SQLITE_IOERR')) {
    const advice = 'Check the disk and the system log.'
    return new DatabaseFileError(`${file} cannot be read: the disk reports an error. ${advice}`, { cause: error })
  }
  return error
}

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && String(error.code).startsWith(code)

import {
  chmodSync,
  closeSync,
  copyFileSync,
  existsSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'

import type BetterSqlite3 from 'better-sqlite3'

import type { Head } from '../audit/verify-chains.ts'
import { loadSqlite } from '../store/load-sqlite.ts'
import { DatabaseFileError } from '../store/store.ts'

/**
 * Copies a database that may be in use. The copy is one read snapshot: every change that was acknowledged before is in it.
 * `VACUUM INTO` reads all pages in one step. A copy of the files, or a backup in several steps, is not sound while others
 * write.
 *
 * @throws {DatabaseFileError} when the copy exists, or when the database or the copy is damaged.
 */
export async function copyDatabase(from: string, to: string): Promise<void> {
  if (existsSync(to)) throw new DatabaseFileError(`${to} exists. Choose another name, or remove it.`)
  const scratch = `${to}.part`
  rmSync(scratch, { force: true })
  try {
    // The owner alone may read it, from the first byte on. SQLite writes into an empty file.
    closeSync(openSync(scratch, 'wx', 0o600))
    const source = await openReadOnly(from)
    try {
      source.prepare('VACUUM INTO ?').run(scratch)
    } finally {
      source.close()
    }
    await checkDatabase(scratch)
    flush(scratch)
    renameSync(scratch, to)
    flush(dirname(to))
  } finally {
    rmSync(scratch, { force: true })
  }
}

/**
 * Reads a whole database file, its indexes too.
 *
 * @throws {DatabaseFileError} when it is damaged, empty, or not a database.
 */
export async function checkDatabase(file: string): Promise<void> {
  if (statSync(file).size === 0) throw new DatabaseFileError(`${file} is empty.`)
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
 * Makes sure that no other process has the database open.
 *
 * `BEGIN EXCLUSIVE` succeeds beside a process that is idle; a connection in exclusive mode does not.
 *
 * @throws {DatabaseFileError} when one has.
 */
export async function requireUnused(file: string): Promise<void> {
  if (!existsSync(file) || statSync(file).size === 0) return
  const Sqlite = await loadSqlite()
  const database = new Sqlite(file, { timeout: 0 })
  try {
    database.pragma('locking_mode = EXCLUSIVE')
    database.exec('BEGIN IMMEDIATE; ROLLBACK')
  } catch (error) {
    if (!isCode(error, 'SQLITE_BUSY')) return // A damaged file is in use by nobody: it is about to be replaced.
    throw new DatabaseFileError(`${file} is in use. Stop every service and command that uses it first.`, {
      cause: error,
    })
  } finally {
    database.close()
  }
}

/** Where each chain of the audit trail ends in a database file: what is kept elsewhere, to notice a change of the file. */
export async function readAuditHeads(file: string): Promise<Head[]> {
  const database = await openReadOnly(file)
  try {
    // SQLite takes the columns beside max() from the row that has it.
    return database
      .prepare<[], Head>('SELECT writer, max(sequence) AS sequence, hash FROM audit GROUP BY writer ORDER BY writer')
      .all()
  } finally {
    database.close()
  }
}

/** Copies a file, for its owner alone, and makes sure that the copy is on the disk. */
export function copyPrivately(from: string, to: string): void {
  rmSync(to, { force: true })
  closeSync(openSync(to, 'wx', 0o600))
  copyFileSync(from, to)
  chmodSync(to, 0o600)
  flush(to)
}

/**
 * Puts a file in the place of a database. The old database is kept under another name, with its log of changes: next to
 * the new file that log would break it.
 *
 * @returns where the old database is now; undefined where there was none.
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
  flush(dirname(file))
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
  if (isCode(error, 'SQLITE_CANTOPEN')) return new DatabaseFileError(`${file} cannot be opened.`, { cause: error })
  return error
}

const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && String(error.code).startsWith(code)

/** Of a file or a folder: what was renamed in it. */
function flush(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

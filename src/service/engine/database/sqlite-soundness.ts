import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { existsSync, statSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'

import type BetterSqlite3 from 'better-sqlite3'

import { DatabaseFileError } from '../base/store-errors.ts'

/**
 * Up to this size a file is checked before anything is served: reading it takes 0.1 s. 1 GB takes 1.4 s, or 28 s from a cold
 * disk; bytes.
 */
const checkedFirst = 64 * 1024 * 1024
/** How long another process may take to write the first page of a file that it has just created, milliseconds. */
const creationTime = 2_000

/**
 * Refuses a file of 0 bytes that was there before: a new database would be made of what was one, and everybody could
 * enroll again with a password alone.
 */
export async function refuseEmptyFile(file: string): Promise<void> {
  for (let waited = 0; existsSync(file) && statSync(file).size === 0; waited += 50) {
    // Or another process is creating it at this moment.
    if (waited >= creationTime) {
      throw new DatabaseFileError(`${file} is empty (0 bytes). Restore a backup, or remove it to begin with a new one.`)
    }
    await pause(50)
  }
}

/** Explains errors of SQLite about a file whose schema it cannot read, so that it cannot even check the file. */
export function explainDamage(error: unknown, file: string): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error
  if (error.code !== 'SQLITE_CORRUPT' && error.code !== 'SQLITE_NOTADB') return error
  return new DatabaseFileError(`${file} is damaged (${error.message}). Restore a backup.`, { cause: error })
}

/** The problem of the file of an open database, if it has one. */
export type FindProblem = () => string | undefined

/**
 * Checks the pages of a database, a small one at once and a large one in a process of its own. Notices later when the file
 * was renamed or replaced: SQLite continues with the file that no longer has a name, and its changes are lost.
 *
 * @throws {DatabaseFileError} when a small file is damaged.
 */
export function watchSoundness(database: BetterSqlite3.Database, file: string): FindProblem {
  const { ino, dev, size } = statSync(file)
  let damage: string | undefined
  if (size > checkedFirst) {
    void checkInProcess(file).then((problem) => (damage = problem))
  } else {
    const problem = database.prepare<[], string>('PRAGMA quick_check(1)').pluck().get()
    // The check has filled the page cache with what nothing has asked for.
    database.pragma('shrink_memory')
    if (problem !== 'ok') throw new DatabaseFileError(`${file} is damaged (${problem}). Restore a backup.`)
  }
  return () => {
    const stats = statSync(file, { throwIfNoEntry: false })
    if (stats?.ino === ino && stats.dev === dev) return damage
    return `the database file ${file} was renamed or replaced while it is in use; restart the service`
  }
}

const check = `
  const Sqlite = require(process.argv[1])
  const database = new Sqlite(process.argv[2], { readonly: true })
  process.stdout.write(String(database.prepare('PRAGMA quick_check(1)').pluck().get()))`

/** Reading a large file stands still for seconds: not in the process that serves. */
function checkInProcess(file: string): Promise<string | undefined> {
  const library = createRequire(import.meta.url).resolve('better-sqlite3')
  return new Promise((resolve) => {
    execFile(process.execPath, ['--eval', check, library, file], (error, stdout) => {
      if (error) resolve(`the database file ${file} could not be checked: ${error.message}`)
      else resolve(stdout === 'ok' ? undefined : `the database file ${file} is damaged (${stdout}); restore a backup`)
    }).unref()
  })
}

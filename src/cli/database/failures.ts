import { accessSync, constants, statSync } from 'node:fs'
import { dirname } from 'node:path'

import { SetupError } from '../../service-handle.ts'
import { MissingDatabaseError } from '../../service/missing-database.ts'
import {
  DatabaseFileError,
  ForeignDatabaseError,
  MovedDatabaseError,
  NewerSchemaError,
  OtherBuildError,
  UnfitDatabaseError,
} from '../../service/engine/base/store-errors.ts'
import { KeysError } from '../../service/engine/secrets/key-ring.ts'
import { exitCode, Failure, OptionFailure } from '../terminal/failure.ts'

/** Whether a database is named by its address, even a mistyped one. An address may contain a password. */
export const isUrl = (database: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(database)

/**
 * Opens a database or service. Common errors become one line.
 * @param shown The name in that line, in place of the database.
 */
export async function withOpenErrors<T>(database: string, open: () => Promise<T>, shown = database): Promise<T> {
  if (isUrl(database) && !/^postgres(ql)?:/.test(database)) {
    throw new Failure('Unsupported database: expected a path or a postgres:// URL.', exitCode.usage)
  }
  try {
    return await open()
  } catch (cause) {
    const [, invalid] = (cause instanceof TypeError && /^(?:createService|oidc): (.*)/s.exec(cause.message)) || []
    if (invalid !== undefined) throw new OptionFailure(invalid, { cause })
    if (cause instanceof TypeError) throw new OptionFailure(cause.message, { cause })
    if (isSelfExplanatory(cause)) throw new Failure(cause.message, undefined, { cause })
    // The address is left out: a password could be anywhere in it.
    const name = isUrl(database) ? '' : ` ${shown}`
    throw new Failure(`Can't open the database${name}: ${reasonFor(database, cause)}`, undefined, { cause })
  }
}

/** A handler for `catch` that turns what is wrong with a database file into one line. */
export function rethrowFileError(cause: unknown): never {
  if (isSelfExplanatory(cause)) throw new Failure(cause.message, undefined, { cause })
  throw cause
}

/** Writes a file for a command. Errors of the system become one line. @param file The name of the file in that line. */
export async function writing<T>(file: string, write: () => T | Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (cause) {
    if (isSelfExplanatory(cause)) throw new Failure(cause.message, undefined, { cause })
    const code = codeOf(cause)
    if (code === '') throw cause
    const reason = code === 'ENOENT' ? 'no such folder. Check the path.' : reasonFor(file, cause)
    throw new Failure(`Can't write ${file}: ${reason}`, undefined, { cause })
  }
}

/** Errors of this package whose message says what is wrong and what to do. */
export function isSelfExplanatory(error: unknown): error is Error {
  return selfExplanatory.some((errorClass) => error instanceof errorClass)
}

const selfExplanatory = [
  MissingDatabaseError,
  DatabaseFileError,
  NewerSchemaError,
  OtherBuildError,
  ForeignDatabaseError,
  MovedDatabaseError,
  UnfitDatabaseError,
  SetupError,
]

/** What is wrong, and what to do. @param database Its path or address. */
export function reasonFor(database: string, error: unknown): string {
  // What it says is about the keys, while the code of its cause would seem to be about the database.
  if (error instanceof KeysError) return error.message
  const code = codeOf(error)
  if (/^(EACCES|EPERM|EROFS|SQLITE_READONLY)/.test(code)) return notWritable(database)
  const fallback = error instanceof Error ? error.message : 'unknown error.'
  return reasons.find(([codes]) => codes.test(code))?.[1] ?? fallback
}

/** Explanations by error codes of Node, SQLite and PostgreSQL (appendix A of its manual). */
const reasons: readonly (readonly [codes: RegExp, reason: string])[] = [
  [/^SQLITE_NOTADB/, 'not a SQLite database. Choose another file.'],
  [/^(SQLITE_CANTOPEN|EISDIR)$/, 'not a regular file. Choose another path.'],
  [/^(ENOSPC|EDQUOT|SQLITE_FULL|SQLITE_IOERR_SHMSIZE|53100)/, 'the disk is full. Free some space first.'],
  [/^(EIO|SQLITE_IOERR|58)/, 'the disk reports an error. Check the disk, its quota and the system log.'],
  [/^SQLITE_BUSY/, 'another process holds a lock on it. Try again when that process has ended.'],
  [/^(25006|0A000)$/, 'the server is read-only. Use the address of the primary, not of a standby.'],
  [/^(ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EHOSTUNREACH)/, "the server isn't responding. Check the address."],
  [/^42501/, 'the user may not create tables in it. Make the user its owner: ALTER DATABASE … OWNER TO …'],
  [/^28/, 'the server rejected the user or the password. Check both.'],
  [/^3D/, 'the server has no database of this name. Create it first.'],
]

/** The code of the error, or of its cause. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  return 'code' in error ? String(error.code) : codeOf(error.cause)
}

/** SQLite creates files beside the database, so the folder must be writable too. */
function notWritable(database: string): string {
  const folder = dirname(database)
  if (!isWritable(folder)) return `the folder ${folder} isn't writable. Check its owner and mode.`
  const foreign = ['', '-wal', '-shm'].find((suffix) => isOfAnotherUser(database + suffix))
  if (foreign === '') return 'another user owns the file.'
  if (foreign !== undefined) return `another user owns ${database}${foreign}. Give it the owner of the database.`
  return "the file isn't writable. Check its mode, and whether the disk is mounted read-only."
}

function isOfAnotherUser(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats !== undefined && stats.uid !== process.getuid?.()
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

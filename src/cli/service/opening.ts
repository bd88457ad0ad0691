import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

import { MissingDatabaseError } from '../../service/missing-database.ts'
import { DatabaseFileError, NewerSchemaError } from '../../service/store/store.ts'
import { SetupError } from '../../service-handle.ts'
import { exitCode } from '../device/exit-codes.ts'
import { Failure, OptionFailure } from '../device/failure.ts'
import { databaseName, isUrl } from './database-name.ts'

/** Opens a service; what commonly goes wrong is said in one line. */
export async function opening<T>(database: string, open: () => Promise<T>): Promise<T> {
  if (isUrl(database) && !/^postgres(ql)?:/.test(database)) {
    throw new Failure('That is no database: give a path, or an address that begins with postgres://', exitCode.usage)
  }
  try {
    return await open()
  } catch (error) {
    const wrong = error instanceof TypeError && /^createService: (.*)/s.exec(error.message)
    if (wrong) throw new OptionFailure(wrong[1], { cause: error })
    if (error instanceof TypeError) throw new Failure(error.message, exitCode.usage, { cause: error })
    if (hasWholeMessage(error)) throw new Failure(error.message, undefined, { cause: error })
    throw new Failure(
      `The database ${databaseName(database)} cannot be opened: ${reason(database, error)}`,
      undefined,
      {
        cause: error,
      },
    )
  }
}

/** Errors of ours that say what is wrong and what to do. */
function hasWholeMessage(error: unknown): error is Error {
  return [MissingDatabaseError, DatabaseFileError, NewerSchemaError, SetupError].some((known) => error instanceof known)
}

function reason(database: string, error: unknown): string {
  const code = codeOf(error)
  if (code === 'SQLITE_NOTADB') return 'it is something else than a database. Choose another file.'
  if (code === 'SQLITE_CANTOPEN' || code === 'EISDIR') return 'it is no file. Choose another path.'
  if (/^(EACCES|EPERM|EROFS|SQLITE_READONLY)/.test(code)) return notWritable(database)
  if (/^(ENOSPC|EDQUOT|SQLITE_FULL|SQLITE_IOERR_SHMSIZE|53100)/.test(code))
    return 'the disk is full. Free some space first.'
  if (/^(EIO|SQLITE_IOERR|58)/.test(code))
    return 'the disk reports an error. Check the disk, its quota, and the system log.'
  if (code.startsWith('SQLITE_BUSY')) return 'another process keeps it locked. Try again when that has ended.'
  if (code === '25006') return 'the server takes no changes. Give the address of the primary, not of a standby.'
  if (/^(ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EHOSTUNREACH)/.test(code)) return 'nobody answers there. Check the address.'
  // PostgreSQL's classes 28 and 3D (appendix A of its manual).
  if (code.startsWith('28')) return 'it refuses the user or the password. Check both.'
  if (code.startsWith('3D')) return 'the server has no database of that name. Create it first.'
  return error instanceof Error ? error.message : 'for an unknown reason.'
}

/** Of the error, or of what caused it. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return ''
  return 'code' in error ? String(error.code) : codeOf(error.cause)
}

/** SQLite writes files beside the database, so its folder counts as well. */
function notWritable(database: string): string {
  const folder = dirname(database)
  if (!isWritable(folder)) return `the folder ${folder} cannot be written. Check its owner and mode.`
  if (existsSync(database) && statSync(database).uid !== process.getuid?.()) return 'it is owned by another user.'
  return 'it cannot be written. Check its mode, and whether the disk is mounted read-only.'
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK)
    return true
  } catch {
    return false
  }
}

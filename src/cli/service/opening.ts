import { exitCode } from '../device/exit-codes.ts'
import { Failure } from '../device/failure.ts'
import { databaseName, isUrl } from './database-name.ts'

/** Opens a service; what commonly goes wrong is said in one line. */
export async function opening<T>(database: string, open: () => Promise<T>): Promise<T> {
  if (isUrl(database) && !/^postgres(ql)?:/.test(database)) {
    throw new Failure('That is no database: give a path, or an address that begins with postgres://', exitCode.usage)
  }
  try {
    return await open()
  } catch (error) {
    if (error instanceof TypeError) throw new Failure(error.message.replace('createService: ', ''), 2, { cause: error })
    throw new Failure(`The database ${databaseName(database)} cannot be opened: ${reason(error)}`, undefined, {
      cause: error,
    })
  }
}

function reason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'SQLITE_NOTADB') return 'it is something else than a database. Choose another file.'
  if (code === 'SQLITE_CANTOPEN' || code === 'EISDIR') return 'it is no file. Choose another path.'
  if (/^(EACCES|EPERM|EROFS|SQLITE_READONLY)/.test(code)) return 'it may not be written. Check who owns it.'
  if (/^(ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EHOSTUNREACH)/.test(code)) return 'nobody answers there. Check the address.'
  // PostgreSQL's classes 28 and 3D (appendix A of its manual).
  if (code.startsWith('28')) return 'it refuses the user or the password. Check both.'
  if (code.startsWith('3D')) return 'the server has no database of that name. Create it first.'
  return error instanceof Error ? error.message : 'for an unknown reason.'
}

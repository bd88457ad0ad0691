import { Failure } from '../device/failure.ts'

/** Opens a service; what commonly goes wrong is said in one line. */
export async function opening<T>(database: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open()
  } catch (error) {
    if (error instanceof TypeError) throw new Failure(error.message.replace('createService: ', ''), 2, { cause: error })
    throw new Failure(`The database ${database} cannot be opened: ${reason(error)}`, undefined, { cause: error })
  }
}

function reason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'SQLITE_NOTADB') return 'it is something else than a database. Choose another file.'
  if (code === 'SQLITE_CANTOPEN' || code === 'EISDIR') return 'it is no file. Choose another path.'
  if (/^(EACCES|EPERM|EROFS|SQLITE_READONLY)/.test(code)) return 'it may not be written. Check who owns it.'
  return error instanceof Error ? error.message : 'for an unknown reason.'
}

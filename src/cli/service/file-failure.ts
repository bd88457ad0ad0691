import { DatabaseFileError } from '../../service/store/store.ts'
import { Failure } from '../device/failure.ts'

/** For `catch`: what is wrong with a database file, as one line. */
export function fileFailure(error: unknown): never {
  if (error instanceof DatabaseFileError) throw new Failure(error.message, undefined, { cause: error })
  throw error
}

import { SetupError } from '../../service-handle.ts'
import { FileProblem } from '../../service/features/hardware/files/file-problem.ts'
import { exitCode, Failure } from '../terminal/failure.ts'

/** A problem of a file, with the option of the command that solves it. */
export function asFailure(error: unknown): unknown {
  if (error instanceof SetupError) return new Failure(`${error.message}.`, undefined, { cause: error })
  if (!(error instanceof FileProblem)) return error
  switch (error.kind) {
    case 'key_missing':
      return new Failure('The file is encrypted. Set its pre-shared key with --key @FILE.', undefined, { cause: error })
    case 'password_missing':
      return new Failure('The file is encrypted with a password. Set it with --password @FILE.', undefined, {
        cause: error,
      })
    case 'key_unused':
      return new Failure('--key and --password are for PSKC files (XML). Remove them.', exitCode.usage, {
        cause: error,
      })
    case 'encoding_missing':
      return new Failure(`${error.message} Or set --encoding.`, exitCode.usage, { cause: error })
    default:
      return new Failure(error.message, undefined, { cause: error })
  }
}

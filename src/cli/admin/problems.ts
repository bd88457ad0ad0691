import type { ErrorCode } from '../../contract/errors.ts'
import { NameTakenError } from '../../service/admin/name-taken.ts'
import { RefusalError } from '../../service/admin/refusal.ts'
import { ApiProblem } from '../../service/ground/problem.ts'
import { StoreUnavailableError } from '../../service/store/store.ts'
import { exitCode } from '../device/exit-codes.ts'
import { Failure, OptionFailure } from '../device/failure.ts'

/** A no of the service as a `Failure`: what failed, then what to do. Everything else stays as it is. */
export function inOneLine(error: unknown): unknown {
  if (error instanceof ApiProblem) return ofProblem(error)
  if (error instanceof NameTakenError) return failed(`${error.message} Choose another name.`, error)
  if (error instanceof RefusalError) return failed(error.message, error)
  if (error instanceof StoreUnavailableError) return failed(`${error.message} Try again in a moment.`, error)
  // What is wrong with a value, `parseOptions` says after the name of the function.
  const given = error instanceof TypeError && /^(?:createDomain|setDomain|createApiKey): (.*)/s.exec(error.message)
  return given ? new OptionFailure(given[1], { cause: error }) : error
}

function ofProblem(problem: ApiProblem): Failure | OptionFailure {
  const sentence = sentences[problem.code]
  if (sentence !== undefined) return failed(sentence, problem)
  if (problem.status === 400) return new OptionFailure(problem.message, { cause: problem })
  return failed(`The service refused: ${problem.message}`, problem)
}

const failed = (message: string, cause: unknown) => new Failure(message, exitCode.failed, { cause })

const sentences: Partial<Record<ErrorCode, string>> = {
  'api.error.notfound.user': 'There is no such user here. See: second-factor user list',
  'api.error.notfound.domain': 'There is no such domain. See: second-factor domain list',
  'api.error.notfound.token': 'The user has no token there. Issue one: second-factor token issue',
  'api.error.notfound.hardware': 'There is no such hardware token. See: second-factor hardware list',
  'api.error.notfound.bypasscode': 'There is no such bypass code. See: second-factor bypass list',
  'api.error.conflict.username': 'The username is taken. Choose another.',
  'api.error.conflict.serialnumber': 'There is a hardware token of that serial number already. Check the number.',
  'api.error.conflict.hardware':
    'The hardware token, or the user, is assigned already. See: second-factor hardware list',
  'api.error.limit.bypasscodes': 'The user has 5 bypass codes, the most there can be. Delete some first.',
  'api.error.internal': 'Unexpected error. Try again.',
}

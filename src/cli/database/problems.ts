import type { ErrorCode } from '../../contract/errors.ts'
import { NameTakenError, RefusalError } from '../../service/engine/base/errors.ts'
import { ApiProblem } from '../../service/engine/base/problem.ts'
import { MailError } from '../../service/engine/mail/mailer.ts'
import { StoreUnavailableError } from '../../service/engine/base/store-errors.ts'
import { exitCode, Failure, OptionFailure } from '../terminal/failure.ts'

/** What the service rejects, as a `Failure`: what failed, then what to do. Returns any other error unchanged. */
export function asFailure(error: unknown): unknown {
  if (error instanceof ApiProblem) return fromProblem(error)
  if (error instanceof NameTakenError) return failed(`${error.message} Choose another name.`, error)
  if (error instanceof RefusalError) return failed(error.message, error)
  if (error instanceof StoreUnavailableError) return failed(`${error.message} Try again in a moment.`, error)
  // `parseOptions` begins its messages with the name of the function.
  const [, invalid] =
    /^(?:createDomain|setDomain|createApiKey|createOidcClient|setOidcClient|inviteAdministrator|setAdministratorRole): (.*)/s.exec(
      messageOf(error),
    ) ?? []
  return invalid === undefined ? error : new OptionFailure(invalid, { cause: error })
}

const messageOf = (error: unknown) => (error instanceof TypeError ? error.message : '')

function fromProblem(problem: ApiProblem): Failure | OptionFailure {
  const sentence = sentences[problem.code]
  if (sentence !== undefined) return failed(sentence, problem)
  // Its message has only the codes of the mail server.
  if (problem.cause instanceof MailError) return failed(problem.cause.message, problem)
  if (problem.status === 400) return new OptionFailure(problem.message, { cause: problem })
  return failed(`The service returned an error: ${problem.message}`, problem)
}

const failed = (message: string, cause: unknown) => new Failure(message, exitCode.failed, { cause })

const sentences: Partial<Record<ErrorCode, string>> = {
  'api.error.notfound.user': 'No such user. See: second-factor user list',
  'api.error.notfound.domain': 'No such domain. See: second-factor domain list',
  'api.error.notfound.token': 'The user has no token in this domain. Issue one: second-factor token issue',
  'api.error.notfound.hardware': 'No such hardware token. See: second-factor hardware list',
  'api.error.notfound.passkey': 'No such passkey. See: second-factor passkey list',
  'api.error.notfound.bypasscode': 'No such bypass code. See: second-factor bypass list',
  'api.error.conflict.username': 'The username is taken. Choose another.',
  'api.error.conflict.serialnumber': 'A hardware token with this serial number already exists. Check the number.',
  'api.error.conflict.hardware':
    'The hardware token is already assigned, or the user already has one. See: second-factor hardware list',
  'api.error.conflict.email': 'The user has no e-mail address. Enter one: second-factor user email',
  'api.error.conflict.device':
    'The user has a device in this domain, and no mail replaces one. Revoke a lost one: second-factor token revoke',
  'api.error.limit.bypasscodes': 'The user already has the maximum of 5 bypass codes. Delete some first.',
  'api.error.internal': 'Unexpected error. Try again.',
}

import type { MfaUser } from '../../challenge/user.ts'
import { appRequestOf } from './app-request.ts'
import type { WebRequest } from './web-request.ts'

/** What the option `required` says of a user: `'here'`: the gate asks; `'elsewhere'`: only `requireMfa()` does; `'never'`: nothing does. */
export type Requirement = 'here' | 'elsewhere' | 'never'

/** @param user The user who is signed in now. */
export async function requirementOf(
  { req, context }: Pick<WebRequest, 'req' | 'context'>,
  user: MfaUser,
): Promise<Requirement> {
  const { required } = context.mfa.options
  const answer = required === undefined || (await required(appRequestOf(req), user))
  if (answer === 'never') return 'never'
  return answer ? 'here' : 'elsewhere'
}

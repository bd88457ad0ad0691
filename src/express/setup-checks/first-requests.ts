import { memberTexts, optionalMembers } from '../../challenge/user.ts'
import type { MfaUser } from '../../challenge/user.ts'
import type { ResolvedOptions } from '../options/options.ts'

/** Says to a developer whether somebody is signed in, as the option `user` says. */
export type FirstRequests = (user: MfaUser | undefined) => void

/**
 * Says once that nobody is signed in, and once that somebody is: an app whose option `user` looks in the wrong place asks nobody for a
 * second step, and nothing else would say so. The lines contain no values: many apps in production set no `NODE_ENV`.
 *
 * @returns undefined where nobody develops.
 */
export function createFirstRequests(
  { logger }: ResolvedOptions,
  { NODE_ENV: mode }: NodeJS.ProcessEnv,
): FirstRequests | undefined {
  if (mode !== undefined && mode !== 'development') return undefined
  const logged = { visitor: false, user: false }
  return (user) => {
    const kind = user ? 'user' : 'visitor'
    if (logged[kind]) return
    logged[kind] = true
    logger.info(user ? `mfa: the option user returned a user with ${membersOf(user)}` : nobody)
  }
}

const nobody =
  'mfa: the option user returned nobody, so no second step is asked for. If somebody is signed in, write where your app keeps the user, such as ' +
  'user: (req) => req.session.user'

function membersOf(user: MfaUser): string {
  const members = optionalMembers.flatMap((member) => {
    const { noun, none } = memberTexts[member]
    return none === undefined ? [] : [user[member] === undefined ? none : noun]
  })
  return [user.username === undefined ? 'an id' : 'a username', ...members].join(', ')
}

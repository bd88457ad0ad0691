import type { Request } from 'express'

import { printable } from '../../ground/printable.ts'
import type { MfaUser } from '../../challenge/user.ts'
import type { ResolvedOptions } from '../options/options.ts'

/** Tells a developer who is signed in, as the option `user` says. */
export type FirstRequests = (req: Request, user: MfaUser | undefined) => void

/**
 * Says once that a visitor came, and once which user: an app whose option `user` looks in the wrong place asks nobody for a second
 * step, and nothing else would say so.
 *
 * @param environment Only while developing: names are no matter for a log.
 */
export function createFirstRequests(
  { logger }: ResolvedOptions,
  environment: NodeJS.ProcessEnv,
): FirstRequests | undefined {
  const { NODE_ENV: mode } = environment
  if (mode !== undefined && mode !== 'development') return undefined
  const said = { visitor: false, user: false }
  return (req, user) => {
    const kind = user ? 'user' : 'visitor'
    if (said[kind]) return
    said[kind] = true
    logger.info(`mfa: ${req.method} ${printable(req.path)}: ${user ? describeUser(user) : visitorWords}`)
  }
}

const visitorWords =
  'nobody is signed in, as the option user says, so no second step is asked for. If somebody is, write where your app keeps them, such as ' +
  'mfa({ user: (req) => req.session.user })'

function describeUser({ username, serviceUserId, name, email }: MfaUser): string {
  const facts = [
    name === undefined ? 'no name: people see the username' : `name ${name}`,
    email === undefined ? 'no e-mail address: no mail is sent' : `e-mail ${email}`,
  ]
  const identity = username === undefined ? `the user with the id ${serviceUserId}` : username
  return printable(`${identity} is signed in, as the option user says (${facts.join('; ')})`)
}

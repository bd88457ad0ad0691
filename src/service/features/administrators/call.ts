import type { ConsoleCall, SignedIn, Caller } from '../../engine/context/caller.ts'
import { ApiProblem } from '../../engine/base/problem.ts'

/** The console that a call came through. */
export function consoleOf({ console }: Pick<Caller, 'console'>): ConsoleCall {
  if (!console) throw new Error('Only the console calls this operation.')
  return console
}

/** @throws {ApiProblem} `api.error.unauthorized` */
export function signedIn(call: Pick<Caller, 'console'>): SignedIn {
  const { administrator } = consoleOf(call)
  if (!administrator) throw notSignedIn()
  return administrator
}

/** The visible part of an organization: some domains, or null for all of them. */
export type Visibility = Pick<SignedIn, 'organizationId' | 'domainIds'>

/**
 * What a call sees: as much as the administrator who has signed in, or the whole organization at the command line, where the
 * machine's access control decides.
 * @throws {ApiProblem} `api.error.unauthorized`
 */
export function visibleTo(call: Pick<Caller, 'console' | 'actor' | 'organizationId'>): Visibility {
  const { console, actor, organizationId } = call
  return !console && actor.kind === 'cli' ? { organizationId, domainIds: null } : signedIn(call)
}

export const notSignedIn = (): ApiProblem =>
  new ApiProblem('api.error.unauthorized', 'Sign in to the console first.', {
    headers: { 'WWW-Authenticate': 'Passkey realm="console"' },
  })

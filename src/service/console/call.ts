import type { ConsoleCall, SignedIn } from '../context/caller.ts'
import type { Caller } from '../context/caller.ts'
import { ApiProblem } from '../ground/problem.ts'

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

export const notSignedIn = (): ApiProblem =>
  new ApiProblem('api.error.unauthorized', 'Sign in to the console first.', {
    headers: { 'WWW-Authenticate': 'Passkey realm="console"' },
  })

import type { IncomingMessage } from 'node:http'

import { devicePaths } from '../../contract/device.ts'
import { cancelSession, getSession, redeemSession, watchSessions } from '../../contract/sessions.ts'
import { findUsers, getUser } from '../../contract/users.ts'
import { pathPattern } from './path-pattern.ts'

/**
 * The loss if a request is rejected. `finishes`: an approval that a user has already given. `continues`: the sign-in it
 * belongs to, or a verified web session. `begins`: nothing, because nothing was done yet.
 */
export type Urgency = 'finishes' | 'continues' | 'begins'

interface Operation {
  readonly method: string
  readonly path: RegExp
}

const operation = (method: string, path: string): Operation => ({ method, path: pathPattern(path) })

const finishing = [
  operation(redeemSession.method, redeemSession.path),
  operation('POST', devicePaths.answer(':sessionId')),
]

const continuing = [
  ...[getSession, cancelSession, watchSessions, getUser, findUsers].map(({ method, path }) => operation(method, path)),
  operation('GET', devicePaths.requests),
  // The app in which users approve.
  operation('GET', '/authenticator(/.*)?'),
]

/** @param req With the path below the base path of the REST interface, or below the mount of the public routes. */
export function urgencyOf({ method, url = '' }: Pick<IncomingMessage, 'method' | 'url'>): Urgency {
  const [path = ''] = url.split('?', 1)
  const isOneOf = (some: readonly Operation[]) =>
    some.some((each) => each.method === (method === 'HEAD' ? 'GET' : method) && each.path.test(path))
  if (isOneOf(finishing)) return 'finishes'
  return isOneOf(continuing) ? 'continues' : 'begins'
}

import type { IncomingMessage } from 'node:http'

import { devicePaths } from '../../../contract/device.ts'
import { cancelSession, getSession, redeemSession, watchSessions } from '../../../contract/sessions.ts'
import { findUsers, getUser } from '../../../contract/users.ts'
import { createPathTable } from './path-table.ts'

/**
 * The loss if a request is rejected. `finishes`: an approval that a user has already given. `continues`: the sign-in it
 * belongs to, or a verified web session. `begins`: nothing, because nothing was done yet.
 */
export type Urgency = 'finishes' | 'continues' | 'begins'

const finishing = [redeemSession, { method: 'POST', path: devicePaths.answer(':sessionId') }]

const continuing = [
  getSession,
  cancelSession,
  watchSessions,
  getUser,
  findUsers,
  { method: 'GET', path: devicePaths.requests },
]

const urgent = [
  ...finishing.map(({ method, path }) => ({ method, path, urgency: 'finishes' as const })),
  ...continuing.map(({ method, path }) => ({ method, path, urgency: 'continues' as const })),
]

// Without `Map.groupBy()`: a Node that is too old has to load this module to be told so.
const find = createPathTable(urgent.map(({ path }) => [path, urgent.filter((operation) => operation.path === path)]))

/** @param req With the path below the base path of the REST interface, or below the mount of the public routes. */
export function urgencyOf({ method, url = '' }: Pick<IncomingMessage, 'method' | 'url'>): Urgency {
  const [path = ''] = url.split('?', 1)
  const readMethod = method === 'HEAD' ? 'GET' : method
  // The app in which users approve.
  if (readMethod === 'GET' && /^\/authenticator(\/|$)/.test(path)) return 'continues'
  return find(path)?.value.find((operation) => operation.method === readMethod)?.urgency ?? 'begins'
}

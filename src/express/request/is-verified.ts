import type { IncomingMessage } from 'node:http'

import { isFresh } from '../../challenge/challenge.ts'
import type { MfaUser } from '../../challenge/user.ts'
import { userKeyOf } from '../../challenge/user.ts'
import { systemClock } from '../../clock.ts'
import { contextOf, verifiedOf } from './context.ts'
import { isEnded } from '../sign-in/epochs.ts'
import { readMfaState } from '../session/web-session.ts'

/**
 * Whether the person behind this request has passed the second step.
 *
 * @param user who is signed in, as the option `user` of mfa() gives it, for requests that mfa() does not see, such as
 *   the upgrade to a WebSocket; the web session must have been read. Without it those are never verified.
 *
 * @example
 * server.on('upgrade', (req, socket, head) => {
 *   readWebSession(req, {}, () => {
 *     if (!isVerified(req, { username: req.session.username })) return socket.destroy()
 *     sockets.handleUpgrade(req, socket, head, welcome)
 *   })
 * })
 */
export function isVerified(req: IncomingMessage, user?: MfaUser): boolean {
  const context = contextOf(req)
  if (context) return verifiedOf(req, context, context.user) !== undefined
  const { service, verified } = readMfaState(req)
  if (!user || !isFresh(verified, userKeyOf(user), systemClock.now())) return false
  return verified !== undefined && !isEnded(service, user, verified)
}

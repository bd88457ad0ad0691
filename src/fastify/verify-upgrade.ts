import type { FastifyRequest } from 'fastify'

import { contextOf } from '../express/request/context.ts'
import { verifyUpgrade as verifyUpgradeOf } from '../express/verify-upgrade.ts'
import type { UpgradeNeed, VerifiedUpgrade } from '../express/verify-upgrade.ts'
import { SetupError } from '../service-handle.ts'
import { requestOf } from './fastify-request.ts'

/**
 * Whether a connection that stays open may be opened, such as a WebSocket of `@fastify/websocket`; `undefined` where the user behind
 * the request has not passed the second step. The gate has decided before, but it does not see when the verification ends.
 *
 * @throws {SetupError} if `mfa` has not seen the request.
 *
 * @example
 * app.get('/live', { websocket: true }, async (socket, request) => {
 *   const upgrade = await verifyUpgrade(request)
 *   if (!upgrade) return socket.close(4403, 'mfa_required')
 *   socket.once('close', upgrade.onEnd(() => socket.close(4403, 'mfa_required')))
 * })
 */
export async function verifyUpgrade(
  request: FastifyRequest,
  need: UpgradeNeed = {},
): Promise<VerifiedUpgrade | undefined> {
  const req = requestOf(request)
  const context = contextOf(req)
  if (!context) throw new SetupError('verifyUpgrade() needs await app.register(mfa, …) in this part of the app')
  return verifyUpgradeOf(context.mfa, req, context.user, need)
}

import type { IncomingMessage } from 'node:http'

import type { RequestHandler } from 'express'

import type { AppUser } from '../challenge/user.ts'
import { requireNode } from '../ground/node-version.ts'
import { ExpressResponse } from './framework/express-response.ts'
import { createInstance } from './instance.ts'
import type { MfaOptions } from './options/mfa-options.ts'
import { receive } from './receive.ts'
import { expressChecks } from './setup-checks/express-checks.ts'
import { createRejectedPosts } from './setup-checks/rejected-posts.ts'
import { checkExpressVersion, requireExpress } from './setup-checks/require-express.ts'
import { requireMount } from './setup-checks/require-mount.ts'
import { createWarner } from './setup-checks/warnings.ts'
import { verifyUpgrade } from './verify-upgrade.ts'
import type { UpgradeNeed, VerifiedUpgrade } from './verify-upgrade.ts'

/** The result of `mfa()`: a handler for `app.use()`, which also decides about requests that Express does not see. */
export type MfaHandler = RequestHandler & Upgrades

interface Upgrades {
  /**
   * Whether the user behind a request that does not go through Express has passed the second step: the upgrade to a WebSocket, or
   * the handshake of Socket.IO. The web session must have been read. Asks the service each time, and accepts no one while it does
   * not answer. Never rejects.
   *
   * @param user The user who is signed in, as the option `user` returns it.
   * @param need What this connection requires beyond the options of `mfa()`.
   * @returns undefined if the user is not verified.
   *
   * @example
   * const second = mfa()
   * app.use(second)
   * server.on('upgrade', (req, socket, head) => {
   *   readWebSession(req, {}, async () => {
   *     const upgrade = await second.verifyUpgrade(req, req.session.user)
   *     if (!upgrade) return socket.end('HTTP/1.1 403 Forbidden\r\n\r\n')
   *     sockets.handleUpgrade(req, socket, head, (webSocket) => {
   *       webSocket.once('close', upgrade.onEnd(() => webSocket.close(4403, 'mfa_required')))
   *     })
   *   })
   * })
   */
  verifyUpgrade(
    req: IncomingMessage,
    user: AppUser | null | undefined | false,
    need?: UpgradeNeed,
  ): Promise<VerifiedUpgrade | undefined>
}

/**
 * Gives an Express app a second factor: serves the challenge under `/mfa`, and lets a signed-in user pass to any later
 * route only once the second step is passed. Goes after the web session and the app's own login.
 *
 * @throws {TypeError} at start, naming the option that is wrong or missing; {Error} on a Node older than 22.12.
 *
 * @example
 * app.use(session({ secret, resave: false, saveUninitialized: false }))
 * app.use(passport.session())
 * app.use(mfa({ service: embedded({ database: 'mfa.sqlite' }) }))
 */
export function mfa(options: MfaOptions = {}): MfaHandler {
  requireNode('mfa()')
  checkExpressVersion()
  const instance = createInstance(options)
  const warn = createWarner(instance.mfa.options, expressChecks)
  const noteSeen = createRejectedPosts(instance.mfa.options, orderOfExpress)

  const handler: RequestHandler = function mfaHandler(req, res, next) {
    requireExpress(req, res)
    requireMount(req, instance.mfa.options.path)
    noteSeen(req)
    warn(req)
    receive(instance, req, new ExpressResponse(res), next)
  }
  const forUpgrades: Upgrades = { verifyUpgrade: (...args) => verifyUpgrade(instance.mfa, ...args) }
  return Object.assign(handler, forUpgrades)
}

const orderOfExpress = 'app.use(mfa({ … })), then app.use(csrf())'

import type { IncomingMessage } from 'node:http'

import type { NextFunction, Request, RequestHandler, Response } from 'express'

import { createMemoryChallengeStore } from '../challenge/challenge-store.ts'
import { createEpochs } from '../challenge/epochs.ts'
import { asRequest } from '../challenge/attribution.ts'
import type { RequestId } from '../challenge/attribution.ts'
import { policyOfApp } from '../challenge/policy.ts'
import { createConnector } from '../challenge/service.ts'
import type { AppUser, MfaUser } from '../challenge/user.ts'
import { createVerificationEnds } from '../challenge/verification-ends.ts'
import type { VersionAdapter } from '../challenge/version-adapter.ts'
import { userKeyOf } from '../challenge/user.ts'
import { isPublicPath } from '../contract/public-paths.ts'
import { requireNode } from '../ground/node-version.ts'
import { endWithLogin } from './app-login/login-ends.ts'
import { watchLogoutPath } from './app-login/log-out.ts'
import { wrapPassport } from './app-login/passport-logins.ts'
import { apply, applyEffects, serve, serveDetached } from './apply.ts'
import { followRequest, withDebug } from './debug/debug.ts'
import type { Debug } from './debug/debug.ts'
import { debugPage, debugRequest } from './debug/debug-page.ts'
import { passesAtOnce, passGate } from './gate.ts'
import { createSharedWatches } from './live/shared-watches.ts'
import { createStreamPlaces } from './live/stream-places.ts'
import type { MfaOptions } from './options/mfa-options.ts'
import { resolveOptions } from './options/options.ts'
import type { ResolvedOptions } from './options/options.ts'
import { isAsset, serveAsset } from './pages/assets.ts'
import { addRequestMfa } from './request-mfa.ts'
import { whenKnown } from './request/at-once.ts'
import { resolveAppUser } from './request/app-user.ts'
import type { Mfa, RequestContext } from './request/context.ts'
import { setContext } from './request/context.ts'
import { isForeign } from './request/foreign-state.ts'
import type { Effects } from './request/outcome.ts'
import { isLogout } from './request/public-path.ts'
import { createRequestId } from './request/request-id.ts'
import { publicAddressOf } from './request/return-to.ts'
import { createServiceOutage, describe } from './request/service-outage.ts'
import type { Trace } from './request/trace.ts'
import { checkEpoch } from './request/verified.ts'
import { createWebRequest } from './request/web-request.ts'
import type { WebRequest } from './request/web-request.ts'
import { serveRoutes } from './routes.ts'
import { bindToService, checkWebSession, hasMfaState, readMfaState } from './session/web-session.ts'
import { warnOfBearer } from './setup-checks/bearer-requests.ts'
import { createFirstRequests } from './setup-checks/first-requests.ts'
import type { FirstRequests } from './setup-checks/first-requests.ts'
import { warnOfLaterUser } from './setup-checks/later-user.ts'
import { checkServiceFor } from './setup-checks/phishing-resistance.ts'
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
  const settings = resolveOptions(options, process.env)
  const { options: resolved, debug } = withDebug(options, settings)
  const instance = { mfa: createMfa(resolved), debug, noteFirst: createFirstRequests(resolved, process.env) }

  // An app that is not set up correctly should find out when it starts, not at its first sign-in.
  if (resolved.routes) {
    instance.mfa.connect().catch((error: unknown) => resolved.logger.error(`mfa: ${describe(error)}`))
  }

  const warn = createWarner(resolved)
  const noteSeen = createRejectedPosts(resolved)

  const handler: RequestHandler = function mfaHandler(req, res, next) {
    requireExpress(req, res)
    requireMount(req)
    noteSeen(req)
    warn(req)
    const requestId = createRequestId(req)
    const fail = (error: unknown) => {
      settings.logger.error(`mfa: ${describe(error)} (request ${requestId()})`)
      next(error)
    }
    asRequest(requestId, () => {
      try {
        handle(instance, req, res, { next, requestId })?.catch(fail)
      } catch (error) {
        fail(error)
      }
    })
  }
  const forUpgrades: Upgrades = { verifyUpgrade: (...args) => verifyUpgrade(instance.mfa, ...args) }
  return Object.assign(handler, forUpgrades)
}

interface Instance {
  readonly mfa: Mfa
  /** Set only with `debug: true`. */
  readonly debug: Debug | undefined
  /** Set only while developing. */
  readonly noteFirst: FirstRequests | undefined
}

function createMfa(options: ResolvedOptions): Mfa {
  const { open, timeout, maxConcurrency, maxUnchecked, clock, logger } = options
  const { challengeStore = createMemoryChallengeStore(clock) } = options
  const outage = createServiceOutage(clock, logger)
  const check = (service: VersionAdapter) => checkServiceFor(options, service)
  const connect = createConnector(open, {
    timeout,
    maxConcurrency,
    clock,
    challengeStore,
    check,
    answered: outage.succeeded,
  })
  const epochs = createEpochs({ connect, clock, maxUnchecked })
  const failed = (error: unknown) => logger.error(`mfa: onEnd of an upgrade failed: ${describe(error)}`)
  const ends = createVerificationEnds({ epochs, clock, failed })
  const watches = createSharedWatches(connect, clock)
  const policy = policyOfApp(options)
  return { options, policy, connect, outage, epochs, ends, watches, places: createStreamPlaces() }
}

interface Handling {
  readonly next: NextFunction
  readonly requestId: RequestId
  /** The path below the challenge path; undefined for the app's own routes. */
  readonly below?: string | undefined
  readonly trace?: Trace
}

function handle(instance: Instance, req: Request, res: Response, handling: Handling): void | Promise<void> {
  const { mfa: internals } = instance
  const { relatedOrigins } = internals.options.passkeys
  if (relatedOrigins.length > 0 && isWellKnown(req)) return serveRelatedOrigins(req, res, relatedOrigins)
  const below = pathBelow(req, internals.options.path)
  if (below === undefined) return handlePrivate(instance, req, res, handling)
  return servePublic(internals, req, res, below).then((isServed) =>
    isServed ? undefined : handlePrivate(instance, req, res, { ...handling, below }),
  )
}

/** Browsers read it at the name of the relying party (WebAuthn Level 3 section 5.11.1). */
const isWellKnown = (req: Request): boolean => isRead(req) && req.baseUrl + req.path === '/.well-known/webauthn'

async function serveRelatedOrigins(req: Request, res: Response, origins: readonly string[]): Promise<void> {
  await serveDetached(req, res, () => void res.json({ origins }))
}

function handlePrivate(instance: Instance, req: Request, res: Response, handling: Handling): void | Promise<void> {
  const { mfa: internals, debug } = instance
  checkWebSession(req)
  if (!debug) return handleRequest(instance, req, res, handling)
  const { requestId, below } = handling
  if (below === '/debug' && isRead(req)) {
    return debugRequest(internals, debug, req, requestId).then((request) => apply(request, res, debugPage(request)))
  }
  const trace = followRequest(internals, debug, req, res, requestId())
  return trace.run(async () => {
    try {
      await handleRequest(instance, req, res, { ...handling, trace })
    } catch (error) {
      trace.note({ kind: 'failed', reason: describe(error) })
      throw error
    }
  })
}

const isRead = ({ method }: Request) => method === 'GET' || method === 'HEAD'

function handleRequest(
  { mfa: internals, noteFirst }: Instance,
  req: Request,
  res: Response,
  handling: Handling,
): void | Promise<void> {
  return whenKnown(resolveAppUser(req, internals.options), (user) => {
    noteFirst?.(user)
    const context = attach(internals, req, res, handling, user)
    if (!user) return handleVisitor(context, req, res, handling)
    const request = createWebRequest(req, context, user)
    const isOwn = !isForeign(request.state, context)
    if (isOwn && handling.below === undefined && passesAtOnce(request)) return handling.next()
    return handleUser(request, isOwn, res, handling)
  })
}

/** Prepares the request for the handlers of the app. */
function attach(
  internals: Mfa,
  req: Request,
  res: Response,
  { requestId, trace }: Handling,
  user: MfaUser | undefined,
): RequestContext {
  const { options } = internals
  const address = publicAddressOf(options.publicUrl, req.baseUrl + options.path)
  const context: RequestContext = {
    ...address,
    mfa: internals,
    user,
    userKey: user && userKeyOf(user),
    requestId,
    trace,
  }
  trace?.isOf(context.userKey)
  setContext(req, context)
  bindToService(req, options.serviceId, `${address.prefix}/`)
  wrapPassport(req)
  watchLogoutPath(req, res, options)
  addRequestMfa(req)
  return context
}

/** Serves somebody who is not signed in. The second step has ended with the login. */
async function handleVisitor(context: RequestContext, req: Request, res: Response, handling: Handling): Promise<void> {
  const { next, trace, below } = handling
  await endWithLogin(req, context.mfa)
  await applyEffects(req, res, context, { state: hasMfaState(req) ? 'end' : 'as-is' })
  // The gate lets these pass, whatever the routes behind it make of them.
  warnOfLaterUser(req, res, context)
  warnOfBearer(req, res, context)
  if (below !== undefined) {
    trace?.note({ kind: 'own_page' })
    return serveRoutes({ req, context, state: readMfaState(req) }, res, next, below)
  }
  trace?.note({ kind: 'gate', decision: 'nobody' })
  next()
}

/** @param isOwn Whether the state of the web session is that of this user; any other is removed. */
async function handleUser(request: WebRequest, isOwn: boolean, res: Response, handling: Handling): Promise<void> {
  const { req, context, state, user } = request
  const { next, trace, below } = handling
  if (!isOwn || isLogout(req, context.mfa.options.logoutPath)) await endWithLogin(req, context.mfa)
  const effects: Effects = isOwn
    ? { state: 'as-is', events: await checkEpoch(state, context, user) }
    : { state: 'remove' }
  await applyEffects(req, res, context, effects)
  const current = isOwn ? request : createWebRequest(req, context, user)
  if (below === undefined) return serve(current, res, next, passGate)
  trace?.note({ kind: 'own_page' })
  return serveRoutes(current, res, next, below)
}

/** Serves what needs neither a web session nor a user: the files of the pages, and what the service itself shows to devices. */
async function servePublic({ options }: Mfa, req: Request, res: Response, below: string): Promise<boolean> {
  const { routes, path } = options
  if (isAsset(req, below)) return serveDetached(req, res, () => serveAsset(req, res, below, options))
  if (!routes || !isPublicPath(below)) return false
  return serveDetached(req, res, () => forward(routes, req, res, req.baseUrl + path, below))
}

/** Calls the service's routes as if they were mounted at `base`. */
function forward(
  routes: NonNullable<Mfa['options']['routes']>,
  req: Request,
  res: Response,
  base: string,
  below: string,
): Promise<void> {
  const { url, baseUrl } = req
  return new Promise((resolve, reject) => {
    req.url = below + url.slice(req.path.length)
    req.baseUrl = base
    res.once('close', resolve)
    routes(req, res, (error) => {
      req.url = url
      req.baseUrl = baseUrl
      if (error) reject(error instanceof Error ? error : new Error('The service failed.', { cause: error }))
      else resolve()
    })
  })
}

/** The path below the challenge path, such as `/events`; undefined for the app's own routes. */
function pathBelow(req: Request, path: string): string | undefined {
  if (req.path === path) return '/'
  return req.path.startsWith(`${path}/`) ? req.path.slice(path.length) : undefined
}

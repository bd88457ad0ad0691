import type { NextFunction, Request, RequestHandler, Response } from 'express'

import { createMemoryChallengeStore } from '../challenge/challenge-store.ts'
import { createEpochs } from '../challenge/epochs.ts'
import { asRequest } from '../challenge/request-id.ts'
import type { RequestId } from '../challenge/request-id.ts'
import { createConnector } from '../challenge/service.ts'
import { userKeyOf } from '../challenge/user.ts'
import { requireNode } from '../node-version.ts'
import { resolveAppUser } from './request/app-user.ts'
import { warnOfBearer } from './setup-checks/bearer-requests.ts'
import type { Mfa, RequestContext } from './request/context.ts'
import { setContext } from './request/context.ts'
import { followRequest, withDebug } from './debug/debug.ts'
import type { Trace } from './debug/debug-log.ts'
import { showDebug } from './debug/debug-page.ts'
import { checkEpoch, needsEpochCheck, shareEpochs } from './sign-in/epochs.ts'
import { forgetMfa } from './session/forget.ts'
import { isLogout, passGate } from './gate.ts'
import { warnOfLaterUser } from './setup-checks/later-user.ts'
import { watchLogoutPath } from './app-login/log-out.ts'
import type { MfaOptions } from './mfa-options.ts'
import { resolveOptions } from './options.ts'
import { isAsset, serveAsset } from './pages/assets.ts'
import { wrapPassport } from './app-login/passport-logins.ts'
import { serveChallenge } from './routes.ts'
import { createRejectedPosts } from './setup-checks/rejected-posts.ts'
import { createRequestId } from './request/request-id.ts'
import { createRequestMfa } from './request/request-mfa.ts'
import { createServiceOutage, describe } from './request/service-outage.ts'
import { publicAddressOf } from './request/return-to.ts'
import { createSharedWatches } from './live/shared-watches.ts'
import { createStreamPlaces } from './live/stream-places.ts'
import { withdrawShownCode } from './app-login/withdraw-shown-code.ts'
import { createWarner } from './setup-checks/warnings.ts'
import {
  bindTo,
  checkWebSession,
  removeMfaState,
  hasMfaState,
  detachWebSession,
  readMfaState,
} from './session/web-session.ts'

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
export function mfa(options: MfaOptions = {}): RequestHandler {
  requireNode('mfa()')
  const settings = resolveOptions(options, process.env)
  const { options: resolved, debug } = withDebug(options, settings)
  const { open, timeout, maxConcurrency, clock, challengeStore = createMemoryChallengeStore(clock) } = resolved
  const outage = createServiceOutage(clock, resolved.logger)
  const connect = createConnector(open, {
    timeout,
    maxConcurrency,
    clock,
    challengeStore,
    answered: () => outage.succeeded(),
  })
  const watches = createSharedWatches(connect, clock)
  const epochs = createEpochs({ connect, clock, maxUnchecked: resolved.maxUnchecked })
  const instance: Mfa = { options: resolved, connect, outage, epochs, watches, places: createStreamPlaces(), debug }
  shareEpochs(resolved.serviceId, epochs)

  // An app learns at its start that it is not set up right, and not by its first sign-in.
  if (resolved.routes) connect().catch((error: unknown) => resolved.logger.error(`mfa: ${describe(error)}`))

  const warn = createWarner(resolved)
  const noteSeen = createRejectedPosts(resolved)

  return function mfaHandler(req, res, next) {
    noteSeen(req)
    warn(req)
    const requestId = createRequestId(req)
    asRequest(requestId, () => handle(instance, req, res, { next, requestId })).catch((error: unknown) => {
      settings.logger.error(`mfa: ${describe(error)} (request ${requestId()})`)
      next(error)
    })
  }
}

interface Handling {
  readonly next: NextFunction
  readonly requestId: RequestId
  readonly trace?: Trace
}

async function handle(instance: Mfa, req: Request, res: Response, handling: Handling): Promise<void> {
  const { debug } = instance
  const below = pathBelow(req, instance.options.path)
  if (below !== undefined && (await servePublic(instance, req, res, below))) return
  checkWebSession(req)
  if (!debug) return handleRequest(instance, req, res, { ...handling, below })
  const { requestId } = handling
  if (below === '/debug' && isRead(req)) return showDebug(instance, debug, req, res, requestId)
  const trace = followRequest(instance, debug, req, res, requestId())
  return trace.run(async () => {
    try {
      await handleRequest(instance, req, res, { ...handling, below, trace })
    } catch (error) {
      trace.note({ kind: 'failed', reason: describe(error) })
      throw error
    }
  })
}

const isRead = ({ method }: Request) => method === 'GET' || method === 'HEAD'

async function handleRequest(
  instance: Mfa,
  req: Request,
  res: Response,
  { next, requestId, trace, below }: Handling & { readonly below: string | undefined },
): Promise<void> {
  const { options } = instance
  const user = await resolveAppUser(req, options)
  const context: RequestContext = {
    mfa: instance,
    ...publicAddressOf(options.publicUrl, req.baseUrl + options.path),
    user,
    userKey: user && userKeyOf(user),
    requestId,
    trace,
  }
  trace?.isOf(context.userKey)
  setContext(req, context)
  bindTo(req, options.serviceId)
  if (!user || isLogout(req, options.logoutPath)) await withdrawShownCode(req, instance)
  if (user) await removeForeignState(req, context)
  else if (hasMfaState(req)) await forgetMfa(req)
  if (user && needsEpochCheck(req, context)) await checkEpoch(req, context, user)
  wrapPassport(req)
  if (!user) warnOfSignedOut(req, res, context)
  watchLogoutPath(req, res, options)
  req.mfa = createRequestMfa(req, res, context)
  if (below !== undefined) trace?.note({ kind: 'own_page' })
  if (below !== undefined) return serveChallenge(req, res, context, below)
  if (await passGate(req, res, context)) next()
}

/** The gate lets these through, whatever the routes behind it make of them. */
function warnOfSignedOut(req: Request, res: Response, context: RequestContext): void {
  warnOfLaterUser(req, res, context)
  warnOfBearer(req, res, context)
}

/**
 * What needs neither a web session nor a user: the pages' own files, and whatever the service itself shows to devices.
 * Shared caches may store some of it, so none of it carries the web session of whoever asked first.
 */
async function servePublic(instance: Mfa, req: Request, res: Response, below: string): Promise<boolean> {
  const { routes, path } = instance.options
  const asset = isAsset(req, below)
  if (!asset && !(routes && /^\/(device|authenticator)(\/|$)/.test(below))) return false
  const attach = detachWebSession(req)
  // Somebody who has hung up is not to be asked for a web session.
  const isAnswered = () => res.headersSent || res.writableEnded || res.destroyed
  try {
    if (asset) serveAsset(req, res, below, instance.options)
    else if (routes) await forward(routes, req, res, req.baseUrl + path, below)
  } finally {
    if (!isAnswered()) attach()
  }
  return isAnswered()
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

/**
 * What somebody else has passed or begun ended with their login; and what belongs to another service says nothing of who
 * has the same name here.
 */
async function removeForeignState(req: Request, { userKey, mfa: instance }: RequestContext): Promise<void> {
  const { options } = instance
  const {
    service = options.serviceId,
    verified,
    challenge,
    letThrough,
    setup,
    remembered,
    ownId,
    codeShown,
  } = readMfaState(req)
  const isOwn = (kept: { userKey: string } | undefined) => !kept || kept.userKey === userKey
  const isForeign = ![verified, challenge, letThrough, setup, remembered, ownId, codeShown].every(isOwn)
  if (service !== options.serviceId || isForeign) {
    await withdrawShownCode(req, instance)
    removeMfaState(req)
  }
}

/** What follows the challenge path, such as `/events`; undefined for the app's own routes. */
function pathBelow(req: Request, path: string): string | undefined {
  if (req.path === path) return '/'
  return req.path.startsWith(`${path}/`) ? req.path.slice(path.length) : undefined
}

import { createMemoryChallengeStore } from '../challenge/challenge-store.ts'
import { createEpochs } from '../challenge/epochs.ts'
import { asRequest } from '../challenge/attribution.ts'
import type { RequestId } from '../challenge/attribution.ts'
import { policyOfApp } from '../challenge/policy.ts'
import { createConnector } from '../challenge/service.ts'
import type { MfaUser } from '../challenge/user.ts'
import { createVerificationEnds } from '../challenge/verification-ends.ts'
import type { VersionAdapter } from '../challenge/version-adapter.ts'
import { userKeyOf } from '../challenge/user.ts'
import { isPublicPath } from '../contract/public-paths.ts'
import { endWithLogin } from './app-login/login-ends.ts'
import { watchLogoutPath } from './app-login/log-out.ts'
import { wrapPassport } from './app-login/passport-logins.ts'
import { apply, applyEffects, serve, serveDetached } from './apply.ts'
import { followRequest, withDebug } from './debug/debug.ts'
import type { Debug } from './debug/debug.ts'
import { debugPage, debugRequest } from './debug/debug-page.ts'
import type { FrameworkRequest } from './framework/request.ts'
import type { FrameworkResponse } from './framework/response.ts'
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
import { contextOf, setContext } from './request/context.ts'
import { isForeign } from './request/foreign-state.ts'
import type { Effects } from './request/outcome.ts'
import { isLogout } from './request/public-path.ts'
import { searchOf } from './request/query.ts'
import { createRequestId } from './request/request-id.ts'
import { publicAddressOf } from './request/return-to.ts'
import { createServiceOutage, describe } from './request/service-outage.ts'
import type { Trace } from './request/trace.ts'
import { checkEpoch } from './request/verified.ts'
import { createWebRequest } from './request/web-request.ts'
import type { WebRequest } from './request/web-request.ts'
import { refuseWithoutStore } from './refuse-without-store.ts'
import { serveRoutes } from './routes.ts'
import { createStoreWatch } from './session/store-watch.ts'
import { bindToService, canSave, checkWebSession, hasMfaState, readMfaState } from './session/session-state.ts'
import type { Moment } from './session/session-state.ts'
import { warnOfBearer } from './setup-checks/bearer-requests.ts'
import { createFirstRequests } from './setup-checks/first-requests.ts'
import type { FirstRequests } from './setup-checks/first-requests.ts'
import { warnOfLaterUser } from './setup-checks/later-user.ts'
import { checkServiceFor } from './setup-checks/phishing-resistance.ts'

/** One `mfa()`, with what only developers see. */
export interface Instance {
  readonly mfa: Mfa
  /** Set only with `debug: true`. */
  readonly debug: Debug | undefined
  /** Set only while developing. */
  readonly noteFirst: FirstRequests | undefined
  /** Whether a request has no web session because its store has lost the database. */
  readonly hasLostStore: (req: FrameworkRequest) => boolean
}

/**
 * Creates an `mfa()`, and opens the service if it is embedded.
 * @throws {TypeError} naming the option that is wrong or missing.
 */
export function createInstance(options: MfaOptions): Instance {
  const { options: resolved, debug } = withDebug(options, resolveOptions(options, process.env))
  const mfa = createMfa(resolved)
  // An app that is not set up correctly should find out when it starts, not at its first sign-in.
  if (resolved.routes) mfa.connect().catch((error: unknown) => resolved.logger.error(`mfa: ${describe(error)}`))
  return { mfa, debug, noteFirst: createFirstRequests(resolved, process.env), hasLostStore: createStoreWatch() }
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
  readonly next: (error?: unknown) => void
  readonly requestId: RequestId
  /** The path below the challenge path; undefined for the app's own routes. */
  readonly below?: string | undefined
  readonly trace?: Trace
  /** Absent where the framework asks once. */
  readonly moment?: Moment
}

/** Takes a request of the app: serves the pages below the challenge path, and passes on what the gate lets through, or an error. */
export function receive(
  instance: Instance,
  req: FrameworkRequest,
  res: FrameworkResponse,
  next: (error?: unknown) => void,
  when: Pick<Handling, 'moment'> = {},
): void {
  const requestId = createRequestId(req)
  const fail = (error: unknown) => {
    instance.mfa.options.logger.error(`mfa: ${describe(error)} (request ${requestId()})`)
    next(error)
  }
  asRequest(requestId, () => {
    try {
      handle(instance, req, res, { next, requestId, ...when })?.catch(fail)
    } catch (error) {
      fail(error)
    }
  })
}

/** @returns a promise only if the request has to wait for something. */
function handle(
  instance: Instance,
  req: FrameworkRequest,
  res: FrameworkResponse,
  handling: Handling,
): void | Promise<void> {
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
const isWellKnown = (req: FrameworkRequest): boolean =>
  isRead(req) && req.baseUrl + req.path === '/.well-known/webauthn'

async function serveRelatedOrigins(
  req: FrameworkRequest,
  res: FrameworkResponse,
  origins: readonly string[],
): Promise<void> {
  const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-cache' }
  await serveDetached(req, res, () => res.send({ status: 200, headers, body: JSON.stringify({ origins }) }))
}

function handlePrivate(
  instance: Instance,
  req: FrameworkRequest,
  res: FrameworkResponse,
  handling: Handling,
): void | Promise<void> {
  const { mfa: internals, debug } = instance
  if (!hasPath(req) && !canSave(req)) return refusePathless(req, res)
  if (instance.hasLostStore(req)) {
    return refuseWithoutStore(req, res, createContext(internals, req, handling, undefined), handling)
  }
  checkWebSession(req)
  if (!debug) return handleRequest(instance, req, res, handling)
  const { requestId, below } = handling
  if (below === '/debug' && isRead(req)) {
    return debugRequest(internals, debug, req, requestId).then((request) => apply(request, res, debugPage(request)))
  }
  const known = contextOf(req)
  const trace = (known?.mfa === internals && known.trace) || followRequest(internals, debug, req, res, requestId())
  return trace.run(async () => {
    try {
      await handleRequest(instance, req, res, { ...handling, trace })
    } catch (error) {
      trace.note({ kind: 'failed', reason: describe(error) })
      throw error
    }
  })
}

/** Middleware of web sessions compares paths, so it may read none for a target of another form, such as `*` (RFC 9112 section 3.2). */
const hasPath = ({ originalUrl }: FrameworkRequest) => originalUrl.startsWith('/')

/** Anyone can send such a request, so it is no mistake in the setup of the app. */
async function refusePathless(req: FrameworkRequest, res: FrameworkResponse): Promise<void> {
  const headers = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' }
  await serveDetached(req, res, () => res.send({ status: 400, headers, body: 'Bad Request' }))
}

const isRead = ({ method }: FrameworkRequest) => method === 'GET' || method === 'HEAD'

function handleRequest(
  { mfa: internals, noteFirst }: Instance,
  req: FrameworkRequest,
  res: FrameworkResponse,
  handling: Handling,
): void | Promise<void> {
  return whenKnown(resolveAppUser(req, internals.options), (user) => {
    const context = attach(internals, req, res, handling, user)
    const { moment } = handling
    // A login may follow. But where users were known this early, they have signed out, and a login that answers at once is not seen here.
    if (!user && moment === 'early' && (!hasMfaState(req) || readMfaState(req).late)) return handling.next()
    noteFirst?.(user)
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
  req: FrameworkRequest,
  res: FrameworkResponse,
  handling: Handling,
  user: MfaUser | undefined,
): RequestContext {
  const { options } = internals
  const context = createContext(internals, req, handling, user)
  handling.trace?.isOf(context.userKey)
  setContext(req, context)
  bindToService(req, options.serviceId, `${context.prefix}/`, user && handling.moment)
  wrapPassport(req)
  watchLogoutPath(req, res, options)
  addRequestMfa(req)
  return context
}

function createContext(
  internals: Mfa,
  req: FrameworkRequest,
  { requestId, trace }: Pick<Handling, 'requestId' | 'trace'>,
  user: MfaUser | undefined,
): RequestContext {
  const { publicUrl, path } = internals.options
  const address = publicAddressOf(publicUrl, req.baseUrl + path)
  return { ...address, mfa: internals, user, userKey: user && userKeyOf(user), requestId, trace }
}

/** Serves somebody who is not signed in. The second step has ended with the login. */
async function handleVisitor(
  context: RequestContext,
  req: FrameworkRequest,
  res: FrameworkResponse,
  handling: Handling,
): Promise<void> {
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
async function handleUser(
  request: WebRequest,
  isOwn: boolean,
  res: FrameworkResponse,
  handling: Handling,
): Promise<void> {
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
async function servePublic(
  { options }: Mfa,
  req: FrameworkRequest,
  res: FrameworkResponse,
  below: string,
): Promise<boolean> {
  const { routes, path } = options
  if (isAsset(req, below)) return serveDetached(req, res, () => serveAsset(req, res, below, options))
  if (!routes || !isPublicPath(below)) return false
  return serveDetached(req, res, () => res.passTo(routes, { base: req.baseUrl + path, url: below + searchOf(req) }))
}

/** The path below the challenge path, such as `/events`; undefined for the app's own routes. */
function pathBelow(req: FrameworkRequest, path: string): string | undefined {
  if (req.path === path) return '/'
  return req.path.startsWith(`${path}/`) ? req.path.slice(path.length) : undefined
}

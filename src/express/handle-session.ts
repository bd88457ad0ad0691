import type { RequestId } from '../challenge/service-calls.ts'
import type { MfaUser } from '../challenge/user.ts'
import { userKeyOf } from '../challenge/user.ts'
import { endWithLogin } from './app-login/login-ends.ts'
import { watchLogoutPath } from './app-login/log-out.ts'
import { wrapPassport } from './app-login/passport-logins.ts'
import { applyEffects, serve } from './apply.ts'
import type { FrameworkRequest } from './framework/request.ts'
import type { FrameworkResponse } from './framework/response.ts'
import { passesAtOnce, passGate } from './gate.ts'
import { addRequestMfa } from './request-mfa.ts'
import { whenKnown } from './request/at-once.ts'
import { resolveAppUser } from './request/app-user.ts'
import type { Mfa, RequestContext } from './request/context.ts'
import { setContext } from './request/context.ts'
import { isForeign } from './request/foreign-state.ts'
import type { Effects } from './request/outcome.ts'
import { isLogout } from './request/public-path.ts'
import { publicAddressOf } from './request/return-to.ts'
import type { Trace } from './request/trace.ts'
import { checkEpoch } from './request/verified.ts'
import { createWebRequest } from './request/web-request.ts'
import type { WebRequest } from './request/web-request.ts'
import { serveRoutes } from './routes.ts'
import { bindToService, hasMfaState, readMfaState } from './session/session-state.ts'
import type { Moment } from './session/session-state.ts'
import { warnOfBearer } from './setup-checks/bearer-requests.ts'
import { warnOfLaterUser } from './setup-checks/later-user.ts'
import type { Instance } from './instance.ts'

export interface Handling {
  readonly next: (error?: unknown) => void
  readonly requestId: RequestId
  /** The path below the challenge path; undefined for the app's own routes. */
  readonly below?: string | undefined
  readonly trace?: Trace
  /** Absent where the framework asks once. */
  readonly moment?: Moment
}

/** Handles a request with its web session: for the user who is signed in, or for a visitor. */
export function handleSession(
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

export function createContext(
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

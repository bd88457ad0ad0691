import type { Challenge } from '../../challenge/challenge.ts'
import { SetupError } from '../../service-handle.ts'
import type { HttpRequest } from '../framework/http-request.ts'
import type { SessionKind, WebSession, WithSession as RequestWithSession } from '../framework/session-kind.ts'
import { bindingOf } from './binding.ts'
import { maxCookieSize, smallerStates } from './cookie-size.ts'
import { expressSession, kindOf } from './express-sessions.ts'
import type { CookieContext } from './id-cookie.ts'
import type { MfaState } from './mfa-state.ts'
import type { OpenApproval } from './open-approvals.ts'
import { mergeApprovals } from './open-approvals.ts'
import { keepLifetime } from './keep-lifetime.ts'
import { isReadOnly } from './read-only.ts'
import { renewOnce, saveUnlessRenewed } from './renewals.ts'
import { underNewId } from './new-id.ts'
import { saveOnlyChanges } from './save-only-changes.ts'
import { parseState, serializeState } from './stored-state.ts'
import type { StoredState } from './stored-state.ts'
import { WebSessionError } from './web-session-error.ts'

/** A request with a web session. */
type WithSession = RequestWithSession & {
  [serviceKey]?: string
  [homeKey]?: string
  [loadedIdKey]?: string | undefined
  [momentKey]?: Moment
}

/** When the framework asks who is signed in: before the hooks of the app, in which a login may run, or after them. */
export type Moment = 'early' | 'late'

/**
 * Another request has given this web session a new id, or has ended it. This request's copy must not be stored: that would bring the
 * old id back, for everyone who has a copy of the cookie.
 */
export class EndedSessionError extends Error {
  override readonly name = 'EndedSessionError'
}

/** @throws {Error} that says how to fix it, when no web session was set up before mfa(). */
export function checkWebSession(req: HttpRequest): void {
  if (canSave(req)) return
  const { session, sessionAdvice } = req as WithSession & { readonly sessionAdvice?: string }
  if (sessionAdvice !== undefined)
    throw new SetupError(`mfa found no web session that can change its id: ${sessionAdvice}`)
  if (!session) {
    throw new Error(
      'mfa() found no web session: put app.use(session(…)) from express-session before app.use(mfa()), with a cookie.path that covers its paths and a store that is connected',
    )
  }
  throw new Error('mfa() needs a web session that can change its id: use express-session')
}

/** Whether the request has a web session that is attached and can change its id. */
export function canSave(req: HttpRequest): boolean {
  const { session } = req as WithSession
  if (!session) return false
  return kindOf(req).isInCookie || (typeof session.regenerate === 'function' && typeof session.save === 'function')
}

/** Members of the request, like its context. */
const serviceKey = Symbol('second-factor service')
const homeKey = Symbol('second-factor home')

const momentKey = Symbol('second-factor moment')

/** Requests that changed the MFA state. */
const changed = new WeakSet<HttpRequest>()

/** The id of the web session that a request came with. A member of the request for each request that passes the gate: see context.ts. */
const loadedIdKey = Symbol('second-factor loaded id')

/**
 * The MFA state that this request saves from now on belongs to that service.
 *
 * @param home Where a user continues whose own page does not fit into the web session.
 * @param moment When the user was known, where the framework asks twice.
 */
export function bindToService(req: HttpRequest, service: string, home: string, moment?: Moment): void {
  const bound = req as WithSession
  if (bound[serviceKey] === undefined) bound[loadedIdKey] = sessionIdOf(req)
  bound[serviceKey] = service
  bound[homeKey] = home
  if (moment) bound[momentKey] = moment
}

/** The id of the present web session; undefined where it is in a cookie. */
const sessionIdOf = (req: HttpRequest) => kindOf(req).idOf(req)

/** The id of the web session that the request came with, unless it has none. */
export const loadedIdOf = (req: HttpRequest): string | undefined => (req as WithSession)[loadedIdKey]

/** @param context Where the browser's binding cookie is read; without it, no challenge is visible. */
export function readMfaState(req: HttpRequest, context?: CookieContext): MfaState {
  const stored = loadedState(req)
  return parseState(stored, context && stored?.challenges && bindingOf(req, context))
}

/** All challenges of the web session, whichever browser they belong to. */
export function openChallenges(req: HttpRequest): readonly Challenge[] {
  // Without a binding to compare, each challenge is that of another browser.
  return parseState(loadedState(req)).otherChallenges ?? []
}

/** All approvals of actions that the web session waits for. */
export const openApprovals = (req: HttpRequest): readonly OpenApproval[] => loadedState(req)?.approvals ?? []

/** The state as this request has loaded or changed it. */
function loadedState(req: HttpRequest): StoredState | undefined {
  const { session } = req as WithSession
  return session && !ended.has(session) ? storedStateOf(req, session) : undefined
}

/** Never a member of a polluted prototype. */
const storedStateOf = (req: HttpRequest, session: WebSession) =>
  kindOf(req).read(session, 'mfa') as StoredState | undefined

/**
 * Stores the state; only then may an answer be sent that relies on it.
 *
 * @throws {EndedSessionError}
 */
export async function saveMfaState(req: HttpRequest, state: MfaState): Promise<void> {
  const id = renewableId(req)
  if (id === undefined) return storeState(req, state)
  const change = (stored: StoredState) => storeState(req, withStoredParts(req, state, stored))
  if (!(await saveUnlessRenewed(id, { read: () => readStored(req), change }))) throw leave(req)
}

/**
 * With the challenges of other browsers, and the approvals of other tabs, as they are stored now: this request may have loaded the web
 * session before they were opened, and must not remove them.
 */
function withStoredParts(req: HttpRequest, state: MfaState, stored: StoredState): MfaState {
  const { otherChallenges } = parseState(stored, state.challenge?.binding)
  const approvals = mergeApprovals({
    loaded: openApprovals(req),
    changed: state.approvals,
    stored: stored.approvals,
  })
  return { ...state, otherChallenges, approvals }
}

async function storeState(req: HttpRequest, state: MfaState): Promise<void> {
  const { service: _service, late: _late, otherChallenges, ...ownState } = state
  const parts = { ...ownState, otherChallenges: otherChallenges?.length ? otherChallenges : undefined }
  if (Object.values(parts).some((part) => part !== undefined)) putMfaState(req, fitting(req, parts))
  else removeMfaState(req)
  await store(sessionOf(req))
}

/**
 * What is stored of a state. A web session in a cookie has to fit into it, with the app's own data: browsers would ignore a longer
 * one, and keep what they had before.
 */
function fitting(req: HttpRequest, state: MfaState): MfaState {
  const kind = kindOf(req)
  if (!kind.isInCookie) return state
  const { [serviceKey]: service, [homeKey]: home = '/' } = req as WithSession
  const { mfa: _before, ...data } = kind.dataOf(sessionOf(req))
  const sizeWith = (mfa: StoredState | undefined) => kind.cookieSize(req, { ...data, mfa })
  const forms = smallerStates(state, { home, before: loadedState(req) })
  const fittingState = forms.find((form) => sizeWith(serializeState({ ...form, service })) <= maxCookieSize)
  if (fittingState) return fittingState
  throw new WebSessionError(
    `The web session does not fit into the cookie of ${kind.name}, which may have ${maxCookieSize} bytes. Without the second ` +
      `step it has ${sizeWith(undefined)}. Store less in it, or use ${kind.alternative}.`,
  )
}

export function hasMfaState(req: HttpRequest): boolean {
  const { session } = req as WithSession
  return session !== undefined && storedStateOf(req, session) !== undefined
}

/** Whether this request has a web session at all, which is not detached. */
export function hasWebSession(req: HttpRequest): boolean {
  const { session } = req as WithSession
  return Boolean(session) && !isReadOnly(session as WebSession)
}

/** Web sessions that another request has ended: the MFA state in this copy is ignored and never stored again. */
const ended = new WeakSet<WebSession>()

/**
 * Removes the MFA state and stores that at once. A web session is not stored if another request has ended it meanwhile, or
 * if it no longer holds MFA state: storing would bring it back.
 */
export async function removeAndSaveMfaState(req: HttpRequest): Promise<void> {
  const session = sessionOf(req)
  if (!hasMfaState(req)) return
  if (kindOf(req).isInCookie || (await hasStored(req))) {
    removeMfaState(req)
    return store(session)
  }
  ended.add(session)
  stripBeforeSave(session)
}

/**
 * The id of a web session that another request may have renewed or ended since this one loaded it: that with which the request came.
 * A web session without MFA state was never renewed, and may not be stored yet.
 */
function renewableId(req: HttpRequest): string | undefined {
  const id = sessionIdOf(req)
  const isLoaded = id !== undefined && loadedIdOf(req) === id
  return isLoaded && hasMfaState(req) ? id : undefined
}

function leave(req: HttpRequest): EndedSessionError {
  detachWebSession(req)
  return new EndedSessionError('Another request has renewed or ended this web session.')
}

/** Whether the stored web session holds MFA state. */
const hasStored = async (req: HttpRequest): Promise<boolean> => (await readStored(req)) !== undefined

/** The MFA state as it is stored now; where the store cannot be asked, as this request has loaded it. */
async function readStored(req: HttpRequest): Promise<StoredState | undefined> {
  const stored = await kindOf(req).readStored(req)
  return stored?.['mfa'] as StoredState | undefined
}

/** The app may still change and store the rest of the web session. */
function stripBeforeSave(session: WebSession): void {
  const save = session.save?.bind(session)
  if (!save) return
  Object.defineProperty(session, 'save', {
    configurable: true,
    enumerable: false,
    writable: true,
    value(callback: (error?: unknown) => void) {
      if (ended.has(session)) Reflect.deleteProperty(session, 'mfa')
      save(callback)
      return this as WebSession
    },
  })
}

/** Removes the MFA state. The removal is stored with whatever else the request changes. */
export function removeMfaState(req: HttpRequest): void {
  const session = sessionOf(req)
  if (hasMfaState(req)) changed.add(req)
  kindOf(req).write(session, 'mfa', undefined)
}

/**
 * Stores the state under a new session id, with all data of the app: an id that an attacker planted or noted before
 * (session fixation) is worth nothing afterwards.
 *
 * @param answerOver Aborted once the answer with the new id has been sent, or cannot be.
 * @throws {EndedSessionError} Of two requests with one id, the second must not copy the web session.
 */
export async function saveUnderNewId(req: HttpRequest, state: MfaState, answerOver: AbortSignal): Promise<void> {
  const kind = kindOf(req)
  if (kind.isInCookie) return saveMfaState(req, state)
  const old = sessionOf(req)
  const copyData = () => copyFrom(old, req, kind)
  const change = () => underNewId({ currentId: () => sessionIdOf(req), renew: () => renew(req, old), copyData })
  const id = renewableId(req)
  if (id === undefined) await change()
  else if (!(await renewOnce(id, answerOver, { read: () => readStored(req), change }))) throw leave(req)
  try {
    await saveMfaState(req, state)
  } catch (error) {
    // express-session saves once more when the answer ends: that save must not verify the user.
    removeMfaState(req)
    throw error
  }
}

async function renew(req: HttpRequest, old: WebSession): Promise<void> {
  try {
    await promised((done) => old.regenerate?.(done))
  } catch (error) {
    // The old web session still exists, and the empty one that replaced it on the request must not sign the user out.
    detachWebSession(req)
    throw error
  }
}

function copyFrom(old: WebSession, req: HttpRequest, kind: SessionKind): void {
  const { mfa: _before, ...data } = kind.dataOf(old)
  const session = sessionOf(req)
  saveOnlyChanges(session)
  Object.assign(session, data)
  keepLifetime(old, session)
}

/**
 * Detaches the web session, for answers that only read it. Otherwise express-session would store (`resave`) or touch the
 * copy that this request loaded, and so resurrect an id that was changed meanwhile. The answer then carries no session cookie
 * either, not even with `rolling` or `saveUninitialized`. The app can still read it.
 *
 * @returns a function that attaches it again, for a request that turns out to need it.
 */
export function detachWebSession(req: HttpRequest): () => void {
  const kind = kindOf(req)
  // A change of a web session in a cookie is stored by sending the cookie.
  if (!hasWebSession(req) || (kind.isInCookie && changed.has(req))) return () => {}
  return kind.detach(req)
}

/** Calls `then` after the next regenerate() of this web session, which Passport's login runs: see passport/carry-over.ts. */
export function onRegenerate(req: HttpRequest, then: () => void): void {
  const session = sessionOf(req)
  const original = session.regenerate?.bind(session)
  // Others have arguments of their own.
  if (!original || kindOf(req) !== expressSession) return
  Object.defineProperty(session, 'regenerate', {
    configurable: true,
    enumerable: false,
    value(callback: (error?: unknown) => void) {
      original((error?: unknown) => {
        if (!error) {
          saveOnlyChanges(sessionOf(req))
          then()
        }
        callback(error)
      })
      return this as WebSession
    },
  })
}

/** Puts the MFA state into the session as it is now, without storing it. */
export function putMfaState(req: HttpRequest, state: MfaState): void {
  changed.add(req)
  ended.delete(sessionOf(req))
  const { [serviceKey]: service, [momentKey]: moment } = req as WithSession
  const stored = serializeState({ ...state, service, late: moment === 'late' ? true : undefined })
  kindOf(req).write(sessionOf(req), 'mfa', stored)
}

function sessionOf(req: HttpRequest): WebSession {
  checkWebSession(req)
  return (req as WithSession).session as WebSession
}

async function store(session: WebSession): Promise<void> {
  if (session.save) await promised((done) => session.save?.(done))
}

function promised(run: (done: (error?: unknown) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    run((error) =>
      error ? reject(new WebSessionError('The web session was not stored.', { cause: error })) : resolve(),
    )
  })
}

import type { Challenge } from '../../challenge/challenge.ts'
import { SetupError } from '../../service-handle.ts'
import type { HttpRequest } from '../framework/http-request.ts'
import type { FrameworkRequest } from '../framework/request.ts'
import type { SessionKind, WebSession, WithSession as RequestWithSession } from '../framework/session-kind.ts'
import { bindingOf } from './id-cookie.ts'
import { maxCookieSize, smallerStates } from './cookie-size.ts'
import type { CookieContext } from './id-cookie.ts'
import type { MfaState } from './mfa-state.ts'
import type { OpenApproval } from './open-approvals.ts'
import type { StoredCopy } from './renewals.ts'
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

/** A request that went through express-session or cookie-session. */
type ExpressRequest = WithSession & {
  sessionID?: string | undefined
  readonly sessionStore?: SessionStore
  /** The options of cookie-session. */
  readonly sessionOptions?: { readonly name?: string | undefined }
}

/** The store of express-session, which that of @fastify/session resembles. */
interface SessionStore {
  get?(id: string, callback: (error?: unknown, stored?: Record<string, unknown> | null) => void): void
}

/** What both have in common: the members of a web session are its data. */
const plainMembers = {
  read: (session, name) => (Object.hasOwn(session, name) ? Reflect.get(session, name) : undefined),
  write(session, name, value) {
    if (value === undefined) Reflect.deleteProperty(session, name)
    else Reflect.set(session, name, value)
  },
  // Not the members whose names are symbols: @fastify/session keeps the id in one, and it would return with a copy.
  dataOf: ({ cookie: _cookie, ...members }) => Object.fromEntries(Object.entries(members)),
} satisfies Partial<SessionKind>

const views = new WeakSet<WebSession>()

/**
 * A web session that the app can read, and that nothing stores. All of its data are those of the original, and none is a member of its
 * own, so it holds no MFA state.
 *
 * @param members Keep the middleware from storing it.
 */
export function readOnly(session: WebSession, members: PropertyDescriptorMap): WebSession {
  const view = Object.create(session, members) as WebSession
  views.add(view)
  return view
}

const isReadOnly = (session: WebSession): boolean => views.has(session)

/** A member in place of that of the original, which code of the app may replace for its part. */
const member = (value: unknown): PropertyDescriptor => ({ configurable: true, writable: true, value })

/**
 * For middleware like express-session, which calls `touch()` before it looks for the id. An app that saves in a wrapper of `end()` waits
 * for the callback.
 */
export const unsaved: PropertyDescriptorMap = {
  save: member((callback?: () => void) => callback?.()),
  touch: member(() => {}),
  regenerate: member(undefined),
}

/** express-session. */
export const expressSession: SessionKind = Object.freeze({
  ...plainMembers,
  isInCookie: false,
  name: 'express-session',
  alternative: '',
  idOf: (req) => (req as ExpressRequest).sessionID,
  readStored(req) {
    const { sessionStore, session } = req as ExpressRequest
    const id = kindOf(req).idOf(req)
    if (!sessionStore?.get || id === undefined) return Promise.resolve(session && plainMembers.dataOf(session))
    return new Promise((resolve, reject) => {
      sessionStore.get?.(id, (error, stored) =>
        error
          ? reject(new WebSessionError('The web session was not read.', { cause: error }))
          : resolve(stored ?? undefined),
      )
    })
  },
  cookieSize: () => 0,
  detach(req) {
    const detached = req as ExpressRequest
    const { session, sessionID } = detached
    // The app may read it as long as the request lasts: a log that names the user, a flash message in a layout.
    detached.session = session && readOnly(session, unsaved)
    // Without an id, express-session stores, sends and destroys nothing.
    detached.sessionID = undefined
    return () => void Object.assign(detached, { session, sessionID })
  },
} satisfies SessionKind)

/** cookie-session. */
export const cookieSession: SessionKind = Object.freeze({
  ...plainMembers,
  isInCookie: true,
  name: 'cookie-session',
  alternative: 'express-session',
  idOf: () => undefined,
  readStored: (req) => Promise.resolve((req as WithSession).session && {}),
  // JSON, in base64.
  cookieSize: (req, data) =>
    ((req as ExpressRequest).sessionOptions?.name ?? 'session').length +
    Math.ceil(Buffer.byteLength(JSON.stringify(data)) / 3) * 4,
  detach(req) {
    const detached = req as ExpressRequest
    const { session } = detached
    // An empty new session is never sent, so the browser keeps its cookie; undefined would sign the user out.
    detached.session = {}
    return () => void (detached.session = session)
  },
} satisfies SessionKind)

/** The kind of the web session of a request. A member that only cookie-session sets tells the two of Express apart. */
export function kindOf(req: HttpRequest & Pick<FrameworkRequest, 'sessionKind'>): SessionKind {
  if (req.sessionKind) return req.sessionKind
  const { session } = req as WithSession
  return session && 'isPopulated' in session ? cookieSession : expressSession
}

/** When the framework asks who is signed in: before the hooks of the app, in which a login may run, or after them. */
export type Moment = 'early' | 'late'

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
export const sessionIdOf = (req: HttpRequest): string | undefined => kindOf(req).idOf(req)

/** The id of the web session that the request came with, unless it has none. */
export const loadedIdOf = (req: HttpRequest): string | undefined => (req as WithSession)[loadedIdKey]

export function hasMfaState(req: HttpRequest): boolean {
  const { session } = req as WithSession
  return session !== undefined && storedStateOf(req, session) !== undefined
}

/** Whether this request has a web session at all, which is not detached. */
export function hasWebSession(req: HttpRequest): boolean {
  const { session } = req as WithSession
  return Boolean(session) && !isReadOnly(session as WebSession)
}

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
 * The stored copy of a web session that another request may have renewed or ended since this one loaded it, under the id with which
 * the request came.
 * A web session without MFA state was never renewed, and may not be stored yet.
 */
export function storedCopyOf(req: HttpRequest): StoredCopy<StoredState> | undefined {
  const id = sessionIdOf(req)
  const isLoaded = id !== undefined && loadedIdOf(req) === id
  return isLoaded && hasMfaState(req) ? { id, read: () => readStored(req) } : undefined
}

/** Whether the stored web session holds MFA state. */
export const hasStored = async (req: HttpRequest): Promise<boolean> => (await readStored(req)) !== undefined

/** The MFA state as it is stored now; where the store cannot be asked, as this request has loaded it. */
async function readStored(req: HttpRequest): Promise<StoredState | undefined> {
  const stored = await kindOf(req).readStored(req)
  return stored?.['mfa'] as StoredState | undefined
}

/** Requests that changed the MFA state. */
const changed = new WeakSet<HttpRequest>()

/** Whether this request has changed the MFA state. */
export const hasChangedState = (req: HttpRequest): boolean => changed.has(req)

/** Web sessions that another request has ended: the MFA state in this copy is ignored and never stored again. */
const ended = new WeakSet<WebSession>()

/** Ignores the MFA state in this copy of a web session from now on. The app may still change and store the rest. */
export function ignoreState(session: WebSession): void {
  ended.add(session)
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

/** Puts the MFA state into the session as it is now, without storing it. */
export function putMfaState(req: HttpRequest, state: MfaState): void {
  changed.add(req)
  ended.delete(sessionOf(req))
  const { [serviceKey]: service, [momentKey]: moment } = req as WithSession
  const stored = serializeState({ ...state, service, late: moment === 'late' ? true : undefined })
  kindOf(req).write(sessionOf(req), 'mfa', stored)
}

/** @throws {Error} where the request has no web session that can be saved. */
export function sessionOf(req: HttpRequest): WebSession {
  checkWebSession(req)
  return (req as WithSession).session as WebSession
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

/** Puts as much of the MFA state into the session as fits, without storing it. @throws {WebSessionError} if it does not fit at all. */
export const putFittingState = (req: HttpRequest, state: MfaState): void => putMfaState(req, fitting(req, state))

/** Removes the MFA state. The removal is stored with whatever else the request changes. */
export function removeMfaState(req: HttpRequest): void {
  const session = sessionOf(req)
  if (hasMfaState(req)) changed.add(req)
  kindOf(req).write(session, 'mfa', undefined)
}

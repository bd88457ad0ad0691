import type { IncomingMessage } from 'node:http'

import type { Challenge, Verified } from '../../challenge/challenge.ts'

/** How long `failMode` lets through, seconds. */
export const letThroughTime = 300

/** What this package keeps in a web session, under the one key `mfa`. */
export interface MfaState {
  /** Of which service and domain all this is: an app can have several, with people of the same names. */
  readonly service?: string | undefined
  readonly verified?: Verified | undefined
  readonly challenge?: Challenge | undefined
  /** Let through while the service could not be asked; passes the gate for a while and is never verified. */
  readonly letThrough?: LetThrough | undefined
  /** Where the challenge that was passed last went on to: its other tabs follow. */
  readonly wentTo?: string | undefined
  /** What is being set up. */
  readonly setup?: Setup | undefined
  /** That recovery codes are offered, and where to go on to after. */
  readonly offer?: { readonly returnTo: string } | undefined
  /** That the service knew the browser: passes the gate for a moment, and is never verified. */
  readonly remembered?: LetThrough | undefined
  /** Whose secrets it may show: it got a new id for them, which nobody has planted. */
  readonly ownId?: { readonly userKey: string } | undefined
  /** That the code for another device was shown, and until when that is good. */
  readonly codeShown?: LetThrough | undefined
  /** Of the forms on pages that belong to no challenge. */
  readonly page?: string | undefined
}

export interface Setup {
  readonly userKey: string
  /** Unix time, seconds: after it, it is begun anew. */
  readonly until: number
  /** The secret of an authenticator app whose first code was not seen yet, sealed. */
  readonly app?: string | undefined
  /** Whether a code of it was wrong. */
  readonly wrong?: boolean
  /** A device that is to come, and the one there was before. */
  readonly device?: { readonly before?: string | undefined } | undefined
}

export interface LetThrough {
  readonly userKey: string
  /** Unix time, seconds. */
  readonly until: number
}

interface WebSession {
  mfa?: MfaState
  cookie?: { originalMaxAge?: number | null; maxAge?: number | null }
  regenerate?(callback: (error?: unknown) => void): void
  save?(callback: (error?: unknown) => void): void
  /** Of cookie-session. */
  readonly isPopulated?: boolean
}

/** A request that went through express-session or cookie-session. */
type WithSession = IncomingMessage & { session?: WebSession | undefined }

/** Of express-session: where its web sessions are. */
interface SessionStore {
  get?(id: string, callback: (error?: unknown, stored?: { readonly mfa?: unknown } | null) => void): void
}

/** The app's store failed. Nobody is verified then, and it is not the service that is out. */
export class WebSessionError extends Error {
  override readonly name = 'WebSessionError'
}

/** @throws {Error} that names the mend, when no web session was set up before mfa(). */
export function checkWebSession(req: IncomingMessage): void {
  const session = (req as WithSession).session
  if (!session) {
    throw new Error('mfa() found no web session: put app.use(session(…)) from express-session before app.use(mfa())')
  }
  const onServer = typeof session.regenerate === 'function' && typeof session.save === 'function'
  if (!onServer && !isCookieSession(session)) {
    throw new Error('mfa() needs a web session that can change its id: use express-session')
  }
}

const services = new WeakMap<IncomingMessage, string>()

/** Requests in which our part of the web session was changed. */
const changed = new WeakSet<IncomingMessage>()

/** From here on, what this request keeps is of that service. */
export function bindTo(req: IncomingMessage, service: string): void {
  services.set(req, service)
}

export function readMfaState(req: IncomingMessage): MfaState {
  const { session } = req as WithSession
  // Without a prototype: one that something else in the app has polluted must not say that anybody is verified.
  const own = Object.create(null) as MfaState
  const isThere = session && Object.hasOwn(session, 'mfa') && !forgotten.has(session)
  return isThere ? Object.assign(own, session.mfa) : own
}

/** Keeps and stores; only then may an answer go out that relies on it. */
export async function saveMfaState(req: IncomingMessage, kept: MfaState): Promise<void> {
  const session = sessionOf(req)
  const { service: _service, ...parts } = kept
  if (Object.values(parts).some((part) => part !== undefined)) putMfaState(req, parts)
  else removeMfaState(req)
  await store(session)
}

export function hasMfaState(req: IncomingMessage): boolean {
  const { session } = req as WithSession
  return Boolean(session && Object.hasOwn(session, 'mfa'))
}

/** Whether this request has a web session that could hold anything of ours. */
export function hasWebSession(req: IncomingMessage): boolean {
  return Boolean((req as WithSession).session)
}

/** Web sessions that another request has ended, with our part in them: it counts no more, and is never stored again. */
const forgotten = new WeakSet<WebSession>()

/**
 * Takes our part out and stores that at once. A web session that another request has ended meanwhile, or that has no
 * part of ours any more, is not stored: that would bring it back.
 */
export async function removeAndSaveMfaState(req: IncomingMessage): Promise<void> {
  const session = sessionOf(req)
  if (!Object.hasOwn(session, 'mfa')) return
  if (isCookieSession(session) || (await hasStored(req))) {
    removeMfaState(req)
    return store(session)
  }
  forgotten.add(session)
  stripBeforeSave(session)
}

/** Whether our part is in the store. */
function hasStored(req: IncomingMessage): Promise<boolean> {
  const { sessionStore, sessionID } = req as IncomingMessage & { sessionStore?: SessionStore; sessionID?: string }
  if (!sessionStore?.get || sessionID === undefined) return Promise.resolve(true)
  return new Promise((resolve, reject) => {
    sessionStore.get?.(sessionID, (error, stored) =>
      error
        ? reject(new WebSessionError('The web session was not read.', { cause: error }))
        : resolve(stored?.mfa !== undefined),
    )
  })
}

/** The app may still change and store what is left of it. */
function stripBeforeSave(session: WebSession): void {
  const save = session.save?.bind(session)
  if (!save) return
  Object.defineProperty(session, 'save', {
    configurable: true,
    enumerable: false,
    writable: true,
    value(callback: (error?: unknown) => void) {
      if (forgotten.has(session)) delete session.mfa
      save(callback)
      return this as WebSession
    },
  })
}

/** Takes our part out. It is stored with whatever else the request changes. */
export function removeMfaState(req: IncomingMessage): void {
  const session = sessionOf(req)
  if (Object.hasOwn(session, 'mfa')) changed.add(req)
  delete session.mfa
}

/**
 * Marks the web session as verified: under a new id, so that one planted before (session fixation) is worth nothing,
 * with all its data, and stored before anything is answered.
 */
export function saveVerified(req: IncomingMessage, verified: Verified, wentTo: string): Promise<void> {
  const { userKey } = verified
  const { verified: before, codeShown, offer } = readMfaState(req)
  return saveUnderNewId(req, {
    verified,
    wentTo,
    ownId: { userKey },
    codeShown: ifOfUser(codeShown, userKey),
    // Recovery codes that were offered take a pass of their own: they are still on offer after it.
    offer: ifOfUser(before, userKey) && offer,
  })
}

/**
 * Gives the web session a new id before it shows the first secret to its user: whoever has planted the present one, or
 * noted it before the login, is signed out by that and reads nothing.
 * @returns whether it got one now, which the answer then has to carry.
 */
export async function takeOwnSessionId(req: IncomingMessage, userKey: string): Promise<boolean> {
  const kept = readMfaState(req)
  if (kept.ownId?.userKey === userKey) return false
  await saveUnderNewId(req, { ...kept, ownId: { userKey } })
  return true
}

/** What is kept for this very user. */
export function ifOfUser<T extends { readonly userKey: string }>(kept: T | undefined, userKey: string): T | undefined {
  return kept?.userKey === userKey ? kept : undefined
}

async function saveUnderNewId(req: IncomingMessage, kept: MfaState): Promise<void> {
  const { cookie, mfa: _before, ...data } = { ...sessionOf(req) }
  const old = sessionOf(req)
  if (isCookieSession(old)) return saveMfaState(req, kept)
  await renew(req, old)
  const session = sessionOf(req)
  Object.assign(session, data)
  // A "remember me" set by the app's login is part of what is kept.
  if (session.cookie && cookie?.originalMaxAge) session.cookie.maxAge = cookie.originalMaxAge
  try {
    await saveMfaState(req, kept)
  } catch (error) {
    // express-session tries once more when the answer ends, and that one says that nobody is verified.
    removeMfaState(req)
    throw error
  }
}

async function renew(req: IncomingMessage, old: WebSession): Promise<void> {
  try {
    await promised((done) => old.regenerate?.(done))
  } catch (error) {
    // The old one is still there, and the empty one that came instead must not sign the person out.
    detachWebSession(req)
    throw error
  }
}

/**
 * Lets go of the web session, for answers that only read: express-session would store (`resave`) or touch what this
 * request loaded long ago when it ends, and so bring back an id that was changed meanwhile. The answer then carries no
 * cookie of the web session either, not even with `rolling` or `saveUninitialized`.
 *
 * @returns how to attach it again, for a request that turns out to need it.
 */
export function detachWebSession(req: IncomingMessage): () => void {
  const detached = req as WithSession & { sessionID?: string | undefined }
  const { session, sessionID } = detached
  if (!session) return () => {}
  if (isCookieSession(session)) {
    // What this request has changed itself is stored by sending it.
    if (changed.has(req)) return () => {}
    // An empty new one is never sent, and the browser keeps its cookie; unsetting it would sign the person out.
    detached.session = {}
    return () => void (detached.session = session)
  }
  detached.session = undefined
  // Without an id express-session has nothing to destroy either (`unset: 'destroy'`).
  detached.sessionID = undefined
  return () => void Object.assign(detached, { session, sessionID })
}

/** What the next login in this web session must not lose: see passport/. */
export function onRegenerate(req: IncomingMessage, then: () => void): void {
  const session = sessionOf(req)
  const original = session.regenerate?.bind(session)
  if (!original) return
  Object.defineProperty(session, 'regenerate', {
    configurable: true,
    enumerable: false,
    value(callback: (error?: unknown) => void) {
      original((error?: unknown) => {
        if (!error) then()
        callback(error)
      })
      return this as WebSession
    },
  })
}

/** Puts our part into the session as it is now, without storing it. */
export function putMfaState(req: IncomingMessage, kept: MfaState): void {
  changed.add(req)
  forgotten.delete(sessionOf(req))
  sessionOf(req).mfa = { ...kept, service: services.get(req) }
}

function sessionOf(req: IncomingMessage): WebSession {
  checkWebSession(req)
  return (req as WithSession).session as WebSession
}

/** Everything it holds is in the browser, under no id: there is none to plant, and what is stored goes out with the answer. */
function isCookieSession(session: WebSession): boolean {
  return 'isPopulated' in session
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

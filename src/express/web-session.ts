import type { IncomingMessage } from 'node:http'

import type { Challenge, Verified } from '../challenge/challenge.ts'

/** What this package keeps in a web session, under the one key `mfa`. */
export interface Kept {
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
  mfa?: Kept
  cookie?: { originalMaxAge?: number | null; maxAge?: number | null }
  regenerate?(callback: (error?: unknown) => void): void
  save?(callback: (error?: unknown) => void): void
  /** Of cookie-session. */
  readonly isPopulated?: boolean
}

/** A request that went through express-session or cookie-session. */
type WithSession = IncomingMessage & { session?: WebSession | undefined }

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

/** From here on, what this request keeps is of that service. */
export function bindTo(req: IncomingMessage, service: string): void {
  services.set(req, service)
}

export function readKept(req: IncomingMessage): Kept {
  const { session } = req as WithSession
  // Without a prototype: one that something else in the app has polluted must not say that anybody is verified.
  const own = Object.create(null) as Kept
  return session && Object.hasOwn(session, 'mfa') ? Object.assign(own, session.mfa) : own
}

/** Keeps and stores; only then may an answer go out that relies on it. */
export async function keep(req: IncomingMessage, kept: Kept): Promise<void> {
  const session = sessionOf(req)
  const { service: _service, ...parts } = kept
  if (Object.values(parts).some((part) => part !== undefined)) putKept(req, parts)
  else delete session.mfa
  await store(session)
}

/** Takes our part out. It is stored with whatever else the request changes. */
export function drop(req: IncomingMessage): void {
  delete sessionOf(req).mfa
}

/**
 * Marks the web session as verified: under a new id, so that one planted before (session fixation) is worth nothing,
 * with all its data, and stored before anything is answered.
 */
export async function verifyWebSession(req: IncomingMessage, verified: Verified, wentTo: string): Promise<void> {
  const { cookie, mfa: _challenge, ...data } = { ...sessionOf(req) }
  const old = sessionOf(req)
  if (isCookieSession(old)) return keep(req, { verified, wentTo })
  await renew(req, old)
  const session = sessionOf(req)
  Object.assign(session, data)
  // A "remember me" set by the app's login is part of what is kept.
  if (session.cookie && cookie?.originalMaxAge) session.cookie.maxAge = cookie.originalMaxAge
  try {
    await keep(req, { verified, wentTo })
  } catch (error) {
    // express-session tries once more when the answer ends, and that one says that nobody is verified.
    drop(req)
    throw error
  }
}

async function renew(req: IncomingMessage, old: WebSession): Promise<void> {
  try {
    await promised((done) => old.regenerate?.(done))
  } catch (error) {
    // The old one is still there, and the empty one that came instead must not sign the person out.
    letGo(req)
    throw error
  }
}

/**
 * Lets go of the web session, for answers that only read: express-session would store (`resave`) or touch what this
 * request loaded long ago when it ends, and so bring back an id that was changed meanwhile.
 */
export function letGo(req: IncomingMessage): void {
  const detached = req as WithSession & { sessionID?: string | undefined }
  // A cookie is sent only where it changed, and unset it would sign the person out.
  if (!detached.session || isCookieSession(detached.session)) return
  detached.session = undefined
  // Without an id express-session has nothing to destroy either (`unset: 'destroy'`).
  detached.sessionID = undefined
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
export function putKept(req: IncomingMessage, kept: Kept): void {
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

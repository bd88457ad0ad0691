import type { HttpRequest } from '../framework/http-request.ts'
import type { FrameworkRequest } from '../framework/request.ts'
import type { SessionKind, WithSession } from '../framework/session-kind.ts'
import { readOnly, unsaved } from './read-only.ts'
import { WebSessionError } from './web-session-error.ts'

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

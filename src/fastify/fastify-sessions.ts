import type { SessionKind, WebSession, WithSession } from '../express/framework/session-kind.ts'
import { expressSession, readOnly, unsaved } from '../express/session/session-state.ts'

type Request = WithSession & { session?: (WebSession & { readonly sessionId?: string }) | undefined }

/** @fastify/session, which resembles express-session, and is not stored either while the request has none. */
const fastifySession: SessionKind = Object.freeze({
  ...expressSession,
  name: '@fastify/session',
  idOf: (req) => (req as Request).session?.sessionId,
  // It neither stores a web session without an id, nor sends its cookie.
  detach: (req) =>
    detach(req, { ...unsaved, sessionId: { value: undefined }, encryptedSessionId: { value: undefined } }),
} satisfies SessionKind)

/** The web session of @fastify/secure-session. */
interface SecureSession extends WebSession {
  data(): Record<string, unknown>
  set(name: string, value: unknown): void
}

/** @fastify/secure-session, which encrypts everything into a cookie. */
const secureSession: SessionKind = Object.freeze({
  name: '@fastify/secure-session',
  alternative: '@fastify/session',
  isInCookie: true,
  idOf: () => undefined,
  read(session, name) {
    const data = (session as SecureSession).data()
    return Object.hasOwn(data, name) ? data[name] : undefined
  },
  write: (session, name, value) => (session as SecureSession).set(name, value),
  dataOf: (session) => (session as SecureSession).data(),
  readStored: () => Promise.resolve(undefined),
  cookieSize: (_req, data) => sizeOfEncrypted(data),
  // It sends no cookie for a web session that has not changed. Its data are what the kind reads the MFA state from.
  detach: (req) => detach(req, { changed: { get: () => false, set() {} }, data: { value: () => ({}) } }),
} satisfies SessionKind)

/** Hooks of the app may read the web session as long as the request lasts: one that throws for the answer would replace it by an error. */
function detach(req: object, members: PropertyDescriptorMap): () => void {
  const detached = req as Request
  const { session } = detached
  detached.session = session && readOnly(session, members)
  return () => void (detached.session = session)
}

/**
 * The time of the cookie and the tag of the encryption, bytes. Beside them, the nonce, the name of the cookie, which nothing tells, and
 * a signature have room for 200 bytes.
 */
const [additions, besides] = [40, 200]

/** In base64, one character in 32 is `+` or `/`, and the cookie escapes it with three. A tenth is more than chance adds. */
const sizeOfEncrypted = (data: object): number =>
  Math.ceil(Math.ceil((Buffer.byteLength(JSON.stringify(data)) + additions) / 3) * 4 * 1.1) + besides

/** Data in a web session is never a function, so these members belong to the middleware. */
export function kindOfFastify(session: WebSession | undefined): SessionKind {
  const { data } = (session ?? {}) as Partial<SecureSession>
  return typeof data === 'function' && typeof session?.save !== 'function' ? secureSession : fastifySession
}

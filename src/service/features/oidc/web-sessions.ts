import type { ServiceContext } from '../../engine/context/service-context.ts'
import { destroyArtifact, findArtifact, storeWebSession, touchWebSession } from './artifacts.ts'
import { ownModels } from './models.ts'

type Callback = (error?: unknown) => void

/**
 * The methods of a Store of express-session, which the pages of the provider use: `Object.assign(new Store(), sessionStore(owner))`.
 * Sessions are JSON of at most 32 KiB. One without `userId` ends an hour after it was last changed.
 */
export interface OidcSessionStore {
  get(id: string, callback: (error: unknown, session?: SessionData | null) => void): void
  set(id: string, session: SessionData, callback?: Callback): void
  destroy(id: string, callback?: Callback): void
  touch(id: string, session: SessionData, callback?: Callback): void
}

/** A session of express-session. */
export interface SessionData {
  readonly cookie: SessionCookie
  /** The id of the MFA user, once somebody is known: the session is deleted with the user. */
  readonly userId?: string | undefined
  /** The request of Express that it is stored in; express-session has put it there. */
  readonly req?: { readonly ip?: string | undefined } | undefined
}

interface SessionCookie {
  /** The rest of its life, milliseconds; absent for a cookie that ends with the browser. */
  readonly maxAge?: number | null | undefined
}

/** How long a session is kept whose cookie ends with the browser, seconds. */
const usualLifetime = 24 * 60 * 60

/**
 * @param open Opens the service.
 * @param owner The app that the sessions belong to. An id of one app is unknown in every other: browsers choose the cookie that they send
 *   an id in, and express-session signs the id alone.
 */
export function createSessionStore(open: () => Promise<ServiceContext>, owner: string): OidcSessionStore {
  const nameOf = (id: string) => `${owner} ${id}`
  const keyOf = (id: string) => ({ model: ownModels.webSession, id: nameOf(id) })
  return {
    get(id, callback) {
      void open()
        .then((ctx) => findArtifact(ctx, keyOf(id)))
        // As the app has stored it.
        .then((session) => callback(null, (session as SessionData | undefined) ?? null), callback)
    },
    set(id, session, callback) {
      // oxlint-disable-next-line unicorn/prefer-structured-clone -- `toJSON` of the cookie is what is stored
      const payload = JSON.parse(JSON.stringify(session)) as Record<string, unknown>
      const { userId = null, req } = session
      const stored = { payload, expiresIn: lifetimeOf(session), userId, address: req?.ip }
      answer(
        open().then((ctx) => storeWebSession(ctx, nameOf(id), stored)),
        callback,
      )
    },
    destroy(id, callback) {
      answer(
        open().then((ctx) => destroyArtifact(ctx, keyOf(id))),
        callback,
      )
    },
    touch(id, session, callback) {
      answer(
        open().then((ctx) => touchWebSession(ctx, nameOf(id), lifetimeOf(session))),
        callback,
      )
    },
  }
}

function answer(work: Promise<void>, callback: Callback = () => {}): void {
  void work.then(() => callback(), callback)
}

const lifetimeOf = ({ cookie: { maxAge } }: SessionData): number =>
  typeof maxAge === 'number' ? Math.max(1, maxAge / 1000) : usualLifetime

import type { HttpRequest } from '../framework/http-request.ts'

/** The store of express-session: an emitter, unless the app gives something that only resembles one. */
interface Store {
  on?(event: 'connect' | 'disconnect', listener: () => void): unknown
}

type WithStore = HttpRequest & { readonly session?: unknown; readonly sessionStore?: Store | undefined }

/** Whether a store has lost its database. One for each store, because several `mfa()` can share it. */
interface Connection {
  isLost: boolean
}

const connections = new WeakMap<Store, Connection>()

/**
 * Once its store has emitted `disconnect`, express-session passes requests on without a web session and without an error. Such a request
 * looks as if `session()` was missing, so what the store has said is noted from the first request on that comes with it.
 *
 * @returns a function that says of each request whether it has no web session for this reason.
 */
export function createStoreWatch(): (req: HttpRequest) => boolean {
  let lastStore: Store | undefined
  let connection: Connection | undefined
  return (req) => {
    const { session, sessionStore } = req as WithStore
    if (sessionStore && sessionStore !== lastStore) {
      lastStore = sessionStore
      connection = connectionOf(sessionStore)
    }
    return !session && connection?.isLost === true
  }
}

function connectionOf(store: Store): Connection {
  const known = connections.get(store)
  if (known) return known
  const connection: Connection = { isLost: false }
  connections.set(store, connection)
  store.on?.('disconnect', () => (connection.isLost = true))
  store.on?.('connect', () => (connection.isLost = false))
  return connection
}

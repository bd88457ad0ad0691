import type { CompiledQuery, DatabaseConnection, Dialect, Driver } from 'kysely'

import type { Queryable } from './schema/schema.ts'
import { CallerGoneError, StoreUnavailableError } from '../base/store-errors.ts'
import type { StoreObserver } from './store.ts'

/** How many units of work have a connection, and how many wait for one. */
export interface ConnectionUse {
  readonly inUse: number
  readonly waiting: number
}

interface Watch {
  observer: StoreObserver | undefined
  inUse: number
  waiting: number
}

const watches = new WeakMap<object, Watch>()

/** Reports to the observer from now on. */
export function observeDatabase(db: Queryable, observer: StoreObserver): void {
  const watch = watches.get(db)
  if (watch) watch.observer = observer
}

export const connectionUse = (db: Queryable): ConnectionUse => watches.get(db) ?? { inUse: 0, waiting: 0 }

export interface ObservableDialect extends Dialect {
  /** Executes statements outside of transactions, any number at once, where these need no connection of their own. */
  readonly shared?: DatabaseConnection
}

interface Observable {
  readonly dialect: Dialect
  readonly shared: DatabaseConnection | undefined
  /** Call it with the database that the dialect is given to. */
  readonly attach: (db: object) => void
}

/** The same dialect, whose connections can be observed. */
export function observable(dialect: ObservableDialect): Observable {
  const watch: Watch = { observer: undefined, inUse: 0, waiting: 0 }
  return {
    shared: dialect.shared && observed(dialect.shared, watch),
    dialect: {
      createAdapter: () => dialect.createAdapter(),
      createDriver: () => createDriver(dialect.createDriver(), watch),
      createIntrospector: (db) => dialect.createIntrospector(db),
      createQueryCompiler: () => dialect.createQueryCompiler(),
    },
    attach: (db) => void watches.set(db, watch),
  }
}

interface Observed extends DatabaseConnection {
  readonly inner: DatabaseConnection
  inTransaction: boolean
  /** Whether the transaction has changed anything. */
  wrote: boolean
}

/** Reports an outage, and returns the error. */
function reported(watch: Watch, part: 'read' | 'write', error: unknown): unknown {
  const isOutage = error instanceof StoreUnavailableError && !(error instanceof CallerGoneError)
  if (isOutage) watch.observer?.failed(part, error)
  return error
}

function observed(inner: DatabaseConnection, watch: Watch): Observed {
  const state: Observed = {
    inner,
    inTransaction: false,
    wrote: false,
    async executeQuery<R>(query: CompiledQuery) {
      const { inTransaction } = state
      if (inTransaction) state.wrote ||= !isRead(query)
      const part = isRead(query) && !inTransaction ? 'read' : 'write'
      try {
        const result = await inner.executeQuery<R>(query)
        if (!inTransaction) watch.observer?.succeeded(part)
        return result
      } catch (error) {
        throw reported(watch, part, error)
      }
    },
    streamQuery: <R>(query: CompiledQuery, chunkSize: number) => inner.streamQuery<R>(query, chunkSize),
  }
  return state
}

function createDriver(driver: Driver, watch: Watch): Driver {
  const report = async <T>(part: 'read' | 'write', act: () => Promise<T>): Promise<T> => {
    try {
      return await act()
    } catch (error) {
      throw reported(watch, part, error)
    }
  }

  const timed = async <T>(purpose: 'connection' | 'transaction', act: () => Promise<T>): Promise<T> => {
    const start = performance.now()
    try {
      return await act()
    } finally {
      watch.observer?.waited(purpose, (performance.now() - start) / 1000)
    }
  }

  return {
    init: (options) => driver.init(options),
    async acquireConnection(options) {
      watch.waiting += 1
      try {
        const inner = await timed('connection', () => report('read', () => driver.acquireConnection(options)))
        watch.inUse += 1
        return observed(inner, watch)
      } finally {
        watch.waiting -= 1
      }
    },
    async beginTransaction(connection, settings) {
      const state = connection as Observed
      await timed('transaction', () => report('write', () => driver.beginTransaction(state.inner, settings)))
      state.inTransaction = true
      state.wrote = false
    },
    async commitTransaction(connection) {
      const state = connection as Observed
      await report('write', () => driver.commitTransaction(state.inner))
      state.inTransaction = false
      watch.observer?.succeeded(state.wrote ? 'write' : 'read')
    },
    async rollbackTransaction(connection) {
      const state = connection as Observed
      state.inTransaction = false
      await driver.rollbackTransaction(state.inner)
    },
    async releaseConnection(connection) {
      watch.inUse -= 1
      await driver.releaseConnection((connection as Observed).inner)
    },
    destroy: (options) => driver.destroy(options),
  }
}

const isRead = ({ query, sql }: CompiledQuery): boolean =>
  query.kind === 'SelectQueryNode' || (query.kind === 'RawNode' && /^\s*select\b/i.test(sql))

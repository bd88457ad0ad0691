import { PostgresAdapter, PostgresDriver, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import type { CompiledQuery, DatabaseConnection, Dialect, Driver, PostgresPool } from 'kysely'

import type { WhileContended } from './postgres-contention.ts'
import { StoreUnavailableError } from './store.ts'

/** Kysely's dialect of PostgreSQL, which says when the database is not there. */
export function createPostgresDialect(pool: PostgresPool, whileContended: WhileContended): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => createDriver(new PostgresDriver({ pool }), whileContended),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
}

function createDriver(driver: Driver, whileContended: WhileContended): Driver {
  const connections = new WeakMap<DatabaseConnection, DatabaseConnection>()
  const inTransaction = new WeakSet<DatabaseConnection>()
  const innerOf = (connection: DatabaseConnection) => connections.get(connection) ?? connection
  return {
    init: (options) => driver.init(options),
    async acquireConnection(options) {
      const inner = await namingOutages(() => driver.acquireConnection(options))
      const retry: WhileContended = (attempt) => (inTransaction.has(inner) ? attempt() : whileContended(attempt))
      const outer = withOutages(inner, retry)
      connections.set(outer, inner)
      return outer
    },
    async beginTransaction(connection, settings) {
      const inner = innerOf(connection)
      await namingOutages(() => driver.beginTransaction(inner, settings))
      inTransaction.add(inner)
    },
    async commitTransaction(connection) {
      const inner = innerOf(connection)
      await namingOutages(() => driver.commitTransaction(inner))
      inTransaction.delete(inner)
    },
    async rollbackTransaction(connection) {
      const inner = innerOf(connection)
      inTransaction.delete(inner)
      await namingOutages(() => driver.rollbackTransaction(inner))
    },
    releaseConnection: (connection) => driver.releaseConnection(innerOf(connection)),
    destroy: () => driver.destroy(),
  }
}

/** @param retry Only for what stands alone: a transaction is tried again as a whole. */
function withOutages(inner: DatabaseConnection, retry: WhileContended): DatabaseConnection {
  return {
    executeQuery: <R>(query: CompiledQuery) => retry(() => namingOutages(() => inner.executeQuery<R>(query))),
    streamQuery: <R>(query: CompiledQuery, chunkSize: number) => inner.streamQuery<R>(query, chunkSize),
  }
}

async function namingOutages<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call()
  } catch (error) {
    throw isOutage(error) ? new StoreUnavailableError('The database cannot be reached.', { cause: error }) : error
  }
}

/**
 * Whatever is no answer of the database, and what it says while it ends, starts or has no room (its manual, appendix A:
 * classes 08 and 53, 57P01 to 57P03, and 57014 for what took too long).
 */
function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? String(error.code) : ''
  if (!('severity' in error)) return /^E[A-Z]+$/.test(code) || /connect|terminated|timeout/i.test(error.message)
  return /^(08|53|57P0|57014)/.test(code)
}

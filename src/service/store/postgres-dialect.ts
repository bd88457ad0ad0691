import { PostgresAdapter, PostgresDriver, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import type { CompiledQuery, DatabaseConnection, Dialect, Driver, PostgresPool } from 'kysely'

import type { WhileContended } from './postgres-contention.ts'
import { StoreUnavailableError } from './store.ts'
import type { WriteHealth } from './write-health.ts'

/** Kysely's dialect of PostgreSQL, which says when the database is not there. */
export function createPostgresDialect(
  pool: PostgresPool,
  whileContended: WhileContended,
  writes: WriteHealth,
): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => createDriver(new PostgresDriver({ pool }), whileContended, writes),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
}

function createDriver(driver: Driver, whileContended: WhileContended, writes: WriteHealth): Driver {
  const namingOutages = createNamingOutages(writes)
  const connections = new WeakMap<DatabaseConnection, DatabaseConnection>()
  const inTransaction = new WeakSet<DatabaseConnection>()
  const innerOf = (connection: DatabaseConnection) => connections.get(connection) ?? connection
  return {
    init: (options) => driver.init(options),
    async acquireConnection(options) {
      const inner = await namingOutages(() => driver.acquireConnection(options))
      // Only what stands alone: a transaction is tried again as a whole.
      const retry: WhileContended = (attempt) => (inTransaction.has(inner) ? attempt() : whileContended(attempt))
      const outer = withOutages(inner, (attempt) => retry(() => namingOutages(attempt)))
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

function withOutages(inner: DatabaseConnection, attempt: WhileContended): DatabaseConnection {
  return {
    executeQuery: <R>(query: CompiledQuery) => attempt(() => inner.executeQuery<R>(query)),
    streamQuery: <R>(query: CompiledQuery, chunkSize: number) => inner.streamQuery<R>(query, chunkSize),
  }
}

type NamingOutages = <T>(call: () => Promise<T>) => Promise<T>

const createNamingOutages =
  (writes: WriteHealth): NamingOutages =>
  async (call) => {
    try {
      return await call()
    } catch (error) {
      const writeOutage = writeOutages.find(([code]) => sqlStateOf(error).startsWith(code))
      if (writeOutage) writes.failed()
      if (!writeOutage && !isOutage(error)) throw error
      throw new StoreUnavailableError(writeOutage?.[1] ?? 'The database cannot be reached.', { cause: error })
    }
  }

/** Errors after which PostgreSQL may still read, but not write (its manual, appendix A). */
const writeOutages = [
  ['53100', 'The disk of the database is full.'],
  ['58', 'The disk of the database reports an error.'],
  ['25006', 'The database is read-only.'],
] as const

/** @returns `''` for errors that are not the server's. */
function sqlStateOf(error: unknown): string {
  return error instanceof Error && 'severity' in error && 'code' in error ? String(error.code) : ''
}

/**
 * Network errors, and the errors that the server reports while it stops, starts or is out of resources (its manual, appendix A:
 * classes 08 and 53, 57P01 to 57P03, and 57014 for what took too long).
 */
function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if ('severity' in error) return /^(08|53|57P0|57014)/.test(sqlStateOf(error))
  return ('code' in error && /^E[A-Z]+$/.test(String(error.code))) || /connect|terminated|timeout/i.test(error.message)
}

import { PostgresAdapter, PostgresIntrospector, PostgresQueryCompiler } from 'kysely'
import type { CompiledQuery, DatabaseConnection, Dialect, Driver, IsolationLevel, QueryResult } from 'kysely'

import { isReadOnly } from './postgres-pool.ts'
import type { PostgresClient, PostgresPool } from './postgres-pool.ts'
import { isDeclared } from './statement.ts'
import { OutcomeUnknownError, StoreUnavailableError } from '../base/store-errors.ts'
import type { WriteHealth } from './write-health.ts'

/** Kysely's dialect of PostgreSQL, which says when the database is not there, and waits for as few answers as possible. */
export function createPostgresDialect(
  pool: PostgresPool,
  whileContended: WhileContended,
  writes: WriteHealth,
): Dialect {
  return {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => createDriver(pool, whileContended, writes),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  }
}

function createDriver(pool: PostgresPool, whileContended: WhileContended, writes: WriteHealth): Driver {
  const namingOutages = createNamingOutages(writes)
  return {
    init: () => Promise.resolve(),
    acquireConnection: async () =>
      createUnit(await namingOutages(() => pool.connect()), { whileContended, namingOutages, writes }),
    beginTransaction: async (connection, { isolationLevel }) => (connection as Unit).begin(isolationLevel),
    commitTransaction: (connection) => (connection as Unit).commit(),
    rollbackTransaction: (connection) => (connection as Unit).rollback(),
    releaseConnection: async (connection) => (connection as Unit).release(),
    destroy: () => pool.end(),
  }
}

/** A connection in Kysely's sense: for one query, or for one transaction. */
interface Unit extends DatabaseConnection {
  begin(isolationLevel: IsolationLevel | undefined): void
  commit(): Promise<void>
  rollback(): Promise<void>
  release(): void
}

interface UnitContext {
  readonly whileContended: WhileContended
  readonly namingOutages: NamingOutages
  readonly writes: WriteHealth
}

const undone = new WeakSet<object>()

/** Whether the database said that the transaction, which was to be committed, has been rolled back because of this error. */
export const isUndone = (error: unknown): boolean => error instanceof Error && undone.has(error)

/**
 * The statements of a transaction are sent one behind the other. BEGIN, and changes without a result, are not waited for:
 * the database executes nothing else of a transaction in which one has failed, and does not commit it.
 */
function createUnit(client: PostgresClient, { whileContended, namingOutages, writes }: UnitContext): Unit {
  let state: 'alone' | 'transaction' | 'over' = 'alone'
  /** The first one: what follows in the transaction fails because of it. */
  let failure: unknown
  let broken = false

  async function send(text: string, values: readonly unknown[] = [], name?: string) {
    try {
      return await namingOutages(() => client.query({ text, values: [...values], ...(name !== undefined && { name }) }))
    } catch (error) {
      throw (failure ??= error)
    }
  }

  async function end(statement: 'commit' | 'rollback'): Promise<string> {
    const ending = send(statement)
    state = 'over'
    const { command } = await ending
    return command
  }

  /** @throws {OutcomeUnknownError} where COMMIT was sent and not answered. */
  async function endByCommit(): Promise<string> {
    const over = writes.begin()
    try {
      return await end('commit')
    } catch (error) {
      if (isDefinite(error)) throw error
      writes.failed()
      throw new OutcomeUnknownError('The database has not answered whether the change is stored.', { cause: error })
    } finally {
      over()
    }
  }

  return {
    async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
      const { sql, parameters } = query
      const declared = isDeclared(query) ? query : undefined
      // Of several parts of a transaction, one has failed. The others must not go on outside of it. (Kysely's migrator does.)
      if (state === 'over' && declared) throw new Error('The transaction is over.')
      const run = () => send(sql, parameters, declared?.name)
      if (state === 'transaction' && declared?.unread) {
        run().catch(() => {})
        return { rows: [] }
      }
      // Retries only what stands alone: a transaction is retried as a whole.
      const { command, rowCount, rows } = await (state === 'transaction' ? run() : whileContended(alone))
      const counts = ['INSERT', 'UPDATE', 'DELETE', 'MERGE'].includes(command)
      return { ...(counts && { numAffectedRows: BigInt(rowCount ?? 0) }), rows: rows as R[] }

      function alone() {
        failure = undefined
        return run()
      }
    },
    streamQuery() {
      throw new Error('Results are not streamed from PostgreSQL: read them in pages.')
    },
    begin(isolationLevel = 'read committed') {
      state = 'transaction'
      send(`begin isolation level ${isolationLevel}`).catch(() => {})
    },
    async commit() {
      const answer = await endByCommit()
      // The database answers ROLLBACK, and no error, if a statement has failed. It answers COMMIT if BEGIN itself has failed:
      // then each statement was executed on its own, and the transaction must not count as committed.
      if (answer === 'COMMIT' && failure === undefined) return
      const cause = failure instanceof Error ? failure : new Error('The database rolled the transaction back.')
      if (answer !== 'COMMIT') undone.add(cause)
      throw cause
    },
    async rollback() {
      if (state === 'over') return
      broken = true
      await end('rollback')
      broken = false
    },
    release: () => client.release(broken || undefined),
  }
}

type NamingOutages = <T>(call: () => Promise<T>) => Promise<T>

const createNamingOutages =
  (writes: WriteHealth): NamingOutages =>
  async (call) => {
    try {
      return await call()
    } catch (error) {
      const writeOutage = writeOutages.find(([isMeant]) => isMeant(error))
      if (writeOutage) writes.failed()
      if (!writeOutage && !isOutage(error)) throw error
      throw new StoreUnavailableError(writeOutage?.[1] ?? 'The database cannot be reached.', { cause: error })
    }
  }

/** Errors after which PostgreSQL may still read, but not write (its manual, appendix A). */
const writeOutages = [
  [(error: unknown) => sqlStateOf(error) === '53100', 'The disk of the database is full.'],
  [(error: unknown) => sqlStateOf(error).startsWith('58'), 'The disk of the database reports an error.'],
  [isReadOnly, 'The database is read-only.'],
] as const

/** @returns `''` for errors that are not the server's. */
function sqlStateOf(error: unknown): string {
  return error instanceof Error && 'severity' in error && 'code' in error ? String(error.code) : ''
}

/** Whether the server itself said that it does not commit. While it stops, it may have committed and only ended the wait for a standby. */
function isDefinite(error: unknown): boolean {
  const reason = error instanceof StoreUnavailableError ? error.cause : error
  const state = sqlStateOf(reason)
  return state !== '' && !/^(08|57P)/.test(state)
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

/** Retries an attempt that failed because of concurrent transactions. */
export type WhileContended = <T>(attempt: () => Promise<T>) => Promise<T>

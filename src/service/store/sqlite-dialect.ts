import type BetterSqlite3 from 'better-sqlite3'
import { SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import type { CompiledQuery, DatabaseConnection, Dialect, Driver, QueryResult } from 'kysely'

import { whileBusy } from './sqlite-busy.ts'
import { nameSqliteOutage } from './sqlite-outage.ts'
import type { Writer } from './sqlite-writer.ts'
import type { WriteHealth } from './write-health.ts'

/** More than we have; a bound for lists of any length in `in (…)`. */
const maxStatements = 500
/** How long a read waits while another process repairs the file after a crash, milliseconds. */
const readTimeout = 2_000

export interface SqliteParts {
  readonly writer: Writer
  /** Reads what is committed, whoever writes meanwhile. A database in memory has none: its only connection does both. */
  readonly reader: BetterSqlite3.Database | undefined
  readonly writes: WriteHealth
}

/** Kysely's dialect of SQLite, with reads beside one writer, transactions that take the write lock at once, and statements prepared once. */
export function createSqliteDialect(parts: SqliteParts): Dialect {
  return {
    createAdapter: () => new ConcurrentAdapter(),
    createDriver: () => createDriver(parts),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

class ConcurrentAdapter extends SqliteAdapter {
  /** SQLite rolls back DDL, and ours begins by locking: several processes can migrate at once. */
  override get supportsTransactionalDdl(): boolean {
    return true
  }

  /** Kysely would let reads wait for the writer. */
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

function createDriver(parts: SqliteParts): Driver {
  const prepare = {
    write: createStatementCache(parts.writer.database),
    read: parts.reader && createStatementCache(parts.reader),
  }
  const idle: Lease[] = []
  return {
    init: () => Promise.resolve(),
    acquireConnection: () => Promise.resolve(idle.pop() ?? createLease(parts, prepare)),
    beginTransaction: (connection) => (connection as Lease).begin(),
    commitTransaction: async (connection) => (connection as Lease).commit(),
    rollbackTransaction: async (connection) => (connection as Lease).end(),
    async releaseConnection(connection) {
      ;(connection as Lease).end()
      idle.push(connection as Lease)
    },
    // Who has opened the connections closes them.
    destroy: () => Promise.resolve(),
  }
}

/** What Kysely calls a connection: for one query, or for one transaction. */
interface Lease extends DatabaseConnection {
  begin(): Promise<void>
  commit(): void
  /** Rolls back what was not committed, and lets the next change have the writer. */
  end(): void
}

type Prepare = (sql: string) => BetterSqlite3.Statement

function createLease(
  { writer, writes }: SqliteParts,
  prepare: { readonly write: Prepare; readonly read?: Prepare | undefined },
): Lease {
  const { database } = writer
  let inTransaction = false
  /** Why SQLite rolled the transaction back by itself, as it does when the disk is full. */
  let undone: { readonly reason: unknown } | undefined

  const failed = (error: unknown): unknown => {
    const named = nameSqliteOutage(error)
    if (named !== error) writes.failed()
    return named
  }

  const runInTransaction = <T>(statement: () => T): T => {
    // What came before is gone. What comes now would be committed alone.
    if (undone) throw undone.reason
    try {
      return statement()
    } catch (error) {
      const reason = failed(error)
      if (!database.inTransaction) undone = { reason }
      throw reason
    }
  }

  const runAlone = async <T>(statement: () => T): Promise<T> => {
    try {
      const result = await writer.acquire(statement)
      writer.release()
      return result
    } catch (error) {
      throw failed(error)
    }
  }

  return {
    async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
      if (inTransaction) return runInTransaction(() => run<R>(prepare.write(query.sql), query))
      const reading = prepare.read?.(query.sql)
      if (!reading?.readonly) return runAlone(() => run<R>(prepare.write(query.sql), query))
      return runReading(() => run<R>(reading, query))
    },
    streamQuery() {
      // A read that is open while others have their turn keeps the log of changes from being cleared.
      throw new Error('Results are not streamed from SQLite: read them in pages.')
    },
    async begin() {
      // Deferred, a transaction that reads and then writes fails when another process wrote in between.
      const begin = () => void prepare.write('begin immediate').run()
      await writer.acquire(begin).catch((error: unknown) => {
        throw failed(error)
      })
      inTransaction = true
    },
    commit() {
      runInTransaction(() => prepare.write('commit').run())
      inTransaction = false
      writer.release()
    },
    end() {
      if (!inTransaction) return
      inTransaction = false
      undone = undefined
      try {
        if (database.inTransaction) prepare.write('rollback').run()
      } finally {
        writer.release()
      }
    },
  }
}

/** All rows are read at once: no read is open when others have their turn. */
async function runReading<T>(statement: () => T): Promise<T> {
  try {
    return await whileBusy(performance.now() + readTimeout, statement)
  } catch (error) {
    throw nameSqliteOutage(error)
  }
}

function run<R>(statement: BetterSqlite3.Statement, { parameters }: CompiledQuery): QueryResult<R> {
  if (statement.reader) return { rows: statement.all(parameters) as R[] }
  const { changes, lastInsertRowid } = statement.run(parameters)
  return { numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid), rows: [] }
}

function createStatementCache(database: BetterSqlite3.Database): Prepare {
  const statements = new Map<string, BetterSqlite3.Statement>()
  return (sql) => {
    const known = statements.get(sql)
    if (known) return known
    if (statements.size >= maxStatements) statements.clear()
    const statement = database.prepare(sql)
    statements.set(sql, statement)
    return statement
  }
}

import type BetterSqlite3 from 'better-sqlite3'
import { SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'

import type { ObservableDialect } from './observed-dialect.ts'
import { nameSqliteOutage, whileBusy } from './sqlite-outage.ts'
import { createStatementCache } from './sqlite-writer.ts'
import type { Unit, Writer } from './sqlite-writer.ts'

/** How long a read waits while another process repairs the file after a crash, milliseconds. */
const readTimeout = 2_000

export interface SqliteParts {
  readonly writer: Writer
  /** Reads committed data while the writer writes. A database in memory has none: its only connection does both. */
  readonly reader: BetterSqlite3.Database | undefined
}

/**
 * Kysely's dialect of SQLite, with reads beside one writer, transactions that take the write lock at once, and statements
 * prepared once.
 */
export function createSqliteDialect({ writer, reader }: SqliteParts): ObservableDialect {
  const prepare = { write: createStatementCache(writer.database), read: reader && createStatementCache(reader) }
  const createConnection = () => createLease(writer, prepare)
  return {
    shared: createConnection(),
    createAdapter: () => new ConcurrentAdapter(),
    createDriver: () => createDriver(createConnection),
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

function createDriver(createConnection: () => Lease): Driver {
  const idle: Lease[] = []
  return {
    init: () => Promise.resolve(),
    acquireConnection: () => Promise.resolve(idle.pop() ?? createConnection()),
    beginTransaction: (connection) => (connection as Lease).begin(),
    commitTransaction: (connection) => (connection as Lease).commit(),
    rollbackTransaction: async (connection) => (connection as Lease).end(),
    async releaseConnection(connection) {
      ;(connection as Lease).end()
      idle.push(connection as Lease)
    },
    // The code that opened the connections closes them.
    destroy: () => Promise.resolve(),
  }
}

/** A connection in Kysely's sense: for one query, or for one transaction. */
interface Lease extends DatabaseConnection {
  begin(): Promise<void>
  /** Resolves when the changes are committed. */
  commit(): Promise<void>
  /** Rolls back uncommitted changes, and passes the writer on to the next change. */
  end(): void
}

type Prepare = ReturnType<typeof createStatementCache>

function createLease(writer: Writer, prepare: { readonly write: Prepare; readonly read?: Prepare | undefined }): Lease {
  let unit: Unit | undefined

  async function runAlone<T>(statement: () => T): Promise<T> {
    const alone = await writer.begin()
    let result: T
    try {
      result = alone.run(statement)
    } catch (error) {
      alone.rollback()
      throw error
    }
    await alone.commit()
    return result
  }

  return {
    async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
      if (unit) return unit.run(() => run<R>(prepare.write(query.sql), query))
      const reading = prepare.read?.(query.sql)
      if (!reading?.readonly) return runAlone(() => run<R>(prepare.write(query.sql), query))
      return runReading(() => run<R>(reading, query))
    },
    streamQuery() {
      // A read that is open while others have their turn keeps the log of changes from being cleared.
      throw new Error('Results are not streamed from SQLite: read them in pages.')
    },
    async begin() {
      unit = await writer.begin()
    },
    async commit() {
      const commit = unit?.commit()
      unit = undefined
      await commit
    },
    end() {
      unit?.rollback()
      unit = undefined
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

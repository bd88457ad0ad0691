import type BetterSqlite3 from 'better-sqlite3'
import { CompiledQuery, SqliteAdapter, SqliteDriver, SqliteIntrospector, SqliteQueryCompiler } from 'kysely'
import type { DatabaseConnection, Dialect, Driver, SqliteDatabase } from 'kysely'

import { whileBusy } from './sqlite-busy.ts'

/** More than we have; a bound for lists of any length in `in (…)`. */
const mostStatements = 500

/** Kysely's dialect of SQLite, with transactions that take the write lock at once, and statements prepared once. */
export function createSqliteDialect(database: BetterSqlite3.Database): Dialect {
  return {
    createAdapter: () => new TransactionalAdapter(),
    createDriver: () => createDriver(database),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

/** SQLite rolls back DDL, and ours begins by locking: several processes can migrate at once. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true
  }
}

/** There is one connection; Kysely lets one user at a time have it, for the whole of a transaction. */
function createDriver(database: BetterSqlite3.Database): Driver {
  const driver = new SqliteDriver({ database: withStatementCache(database) })
  let connection: DatabaseConnection | undefined
  return {
    init: () => driver.init(),
    acquireConnection: async () => (connection ??= patient(await driver.acquireConnection(), database)),
    // Deferred, a transaction that reads and then writes fails when another process wrote in between.
    beginTransaction: async (of) => void (await of.executeQuery(CompiledQuery.raw('begin immediate'))),
    commitTransaction: (of) => driver.commitTransaction(of),
    async rollbackTransaction(of) {
      // After some errors (a full disk) SQLite has rolled back already.
      if (database.inTransaction) await driver.rollbackTransaction(of)
    },
    releaseConnection: () => driver.releaseConnection(),
    destroy: () => driver.destroy(),
  }
}

/** Only what stands alone is tried again: inside a transaction the write lock is ours already. */
function patient(inner: DatabaseConnection, database: BetterSqlite3.Database): DatabaseConnection {
  return {
    executeQuery: <R>(query: CompiledQuery) =>
      database.inTransaction ? inner.executeQuery<R>(query) : whileBusy(() => inner.executeQuery<R>(query)),
    streamQuery: <R>(query: CompiledQuery, chunkSize: number) => inner.streamQuery<R>(query, chunkSize),
  }
}

function withStatementCache(database: BetterSqlite3.Database): SqliteDatabase {
  const statements = new Map<string, BetterSqlite3.Statement>()
  return {
    prepare(sql) {
      const known = statements.get(sql)
      if (known) return known
      if (statements.size >= mostStatements) statements.clear()
      const statement = database.prepare(sql)
      statements.set(sql, statement)
      return statement
    },
    close: () => void database.close(),
  }
}

import { createRequire } from 'node:module'

import type BetterSqlite3 from 'better-sqlite3'

import { createEmptying } from './empty-tables.ts'

/*
 * better-sqlite3 for tests. Most tests open a service with a database in memory, for which SQLite would read the schema and
 * compile the same statements each time: a fifth of the processor time of a short test. So a copy of a database in memory is
 * emptied instead of closed, and the next test gets it with its compiled statements.
 */

const Sqlite = createRequire(import.meta.url)('better-sqlite3') as typeof BetterSqlite3

interface Connection {
  readonly database: BetterSqlite3.Database
  readonly statements: Map<string, BetterSqlite3.Statement>
  /** Pragmas that were executed, such as `foreign_keys = ON`. */
  readonly settings: Set<string>
  readonly emptyTables: () => void
  /** Every change of the schema changes it. */
  readonly schemaVersion: unknown
}

/** A new database has 200. One that had many users is closed, which frees its memory. */
const maxPages = 1_000
const maxIdle = 4

/** Connections that no test uses, by what they are copies of. */
const idle = new WeakMap<Buffer, Connection[]>()

export default new Proxy(Sqlite, {
  construct(_, [file, options]: ConstructorParameters<typeof BetterSqlite3>) {
    return Buffer.isBuffer(file) ? borrow(file) : new Sqlite(file, options)
  },
})

function borrow(copied: Buffer): BorrowedDatabase {
  const connections = idle.get(copied) ?? []
  idle.set(copied, connections)
  return new BorrowedDatabase(connections.pop() ?? connect(copied), connections)
}

function connect(copied: Buffer): Connection {
  const database = new Sqlite(copied)
  return {
    database,
    statements: new Map(),
    settings: new Set(),
    emptyTables: createEmptying(database),
    schemaVersion: readPragma(database, 'schema_version'),
  }
}

/**
 * As much of a database as a store in memory uses. The next test has the connection after `close`, so this and its statements
 * throw from then on, as those of a closed database do.
 */
class BorrowedDatabase {
  readonly memory = true
  open = true
  readonly #connection: Connection
  readonly #connections: Connection[]

  constructor(connection: Connection, connections: Connection[]) {
    this.#connection = connection
    this.#connections = connections
  }

  get inTransaction(): boolean {
    return this.open && this.#connection.database.inTransaction
  }

  prepare(sql: string) {
    const { database, statements } = this.#openConnection()
    const statement = statements.get(sql) ?? database.prepare(sql)
    statements.set(sql, statement)
    const whileOpen =
      (method: 'all' | 'get' | 'run') =>
      (...values: unknown[]) => {
        this.#openConnection()
        return statement[method](...values)
      }
    const { reader, readonly } = statement
    return { reader, readonly, all: whileOpen('all'), get: whileOpen('get'), run: whileOpen('run') }
  }

  /** SQLite compiles all statements again after a setting, even after one that changes nothing, so each is executed once. */
  pragma(source: string): unknown {
    const { database, settings } = this.#openConnection()
    if (settings.has(source)) return undefined
    if (source.includes('=')) settings.add(source)
    return database.pragma(source)
  }

  serialize(): Buffer {
    return this.#openConnection().database.serialize()
  }

  close(): void {
    if (this.open) giveBack(this.#connection, this.#connections)
    this.open = false
  }

  #openConnection(): Connection {
    if (!this.open) throw new TypeError('The database connection is not open')
    return this.#connection
  }
}

function giveBack(connection: Connection, connections: Connection[]): void {
  if (connections.length < maxIdle && isReusable(connection)) {
    connection.emptyTables()
    connections.push(connection)
  } else {
    connection.database.close()
  }
}

const isReusable = ({ database, schemaVersion }: Connection): boolean =>
  !database.inTransaction &&
  readPragma(database, 'schema_version') === schemaVersion &&
  Number(readPragma(database, 'page_count')) <= maxPages

const readPragma = (database: BetterSqlite3.Database, name: string): unknown => database.pragma(name, { simple: true })

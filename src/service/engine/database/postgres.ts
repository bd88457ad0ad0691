import type Pg from 'pg'
import { CamelCasePlugin, sql } from 'kysely'

import { loadOptional } from '../base/optional-package.ts'
import { migrate } from './schema/migrate.ts'
import { postgresEngine } from './schema/engine-postgres.ts'
import { createWhileContended, SerializableDatabase } from './postgres-contention.ts'
import type { WhileContended } from './postgres-dialect.ts'
import { createPostgresDialect } from './postgres-dialect.ts'
import { openChangeFeed } from './postgres-change-feed.ts'
import { createServerWatch } from './postgres-identity.ts'
import type { ServerWatch } from './postgres-identity.ts'
import { createTimedPool, watchWarnings } from './postgres-pool.ts'
import type { PostgresPool } from './postgres-pool.ts'
import type { Database, Queryable } from './schema/schema.ts'
import { usualDatabaseTime } from './store.ts'
import type { OpenOptions, Store } from './store.ts'
import { createWriteHealth } from './write-health.ts'
import type { WriteHealth } from './write-health.ts'

/** Connections of one node for queries; another one listens. */
const maxConnections = 10
/** How long a connection may take, also one that others have at the moment; milliseconds. */
const connectTimeout = 3_000
/** How often the listening connection is tried, milliseconds. */
const defaultBeat = 5_000
/** After so long, a connection is replaced by a new one, which may lead to another server; seconds. */
const maxAge = 600
/** How long a connection stays open without use, milliseconds. The next one is prepared from the beginning, which costs as much as ten pushes. */
const idleTime = 60_000
/** After so long without a packet, a connection is probed, which also keeps its entry in firewalls; milliseconds. */
const probeAfter = 10_000
/** The type of `bigint`, as pg_type has it. */
const int8 = 20

/**
 * @param url `postgres://user:password@host:port/database`, as libpq reads it. Never repeated in errors.
 * @throws {NoDatabaseError} where it has no schema yet and may not get one.
 */
export async function openPostgresStore(url: string, options: PostgresOpenOptions = {}): Promise<Store> {
  const { create = true, timeout = usualDatabaseTime, beat = defaultBeat, listenDatabase = url, onHearing } = options
  const pg = await load()
  const config = { ...configOf(pg, url, 'database'), connectionTimeoutMillis: Math.min(connectTimeout, timeout) }
  const listenConfig = {
    ...configOf(pg, listenDatabase, 'listenDatabase'),
    query_timeout: beat,
    connectionTimeoutMillis: connectTimeout,
  }
  const created = await withoutHurry(pg, config, (database) => migrate(database, postgresEngine, create))
  const reconnected = new Set<() => void>()
  const servers = createServerWatch(() => reconnected.forEach((listener) => listener()))
  const pool = createTimedPool(openPool(pg, { ...config, ...(await limitsOf(pg, config, timeout)) }), timeout, servers)
  const whileContended = createWhileContended(timeout)
  const writes = createWriteHealth(timeout / 2)
  const db = openDatabase(pool, whileContended, writes)
  try {
    // The pool’s database is the one that `listenDatabase` is compared with.
    const first = await pool.connect()
    first.release()
    const feed = await openChangeFeed({
      connect: () => new pg.Client(listenConfig),
      servers,
      query: (text, values) => queryOnce(pool, text, values),
      beat,
      onHearing: onHearing ?? (() => {}),
    })
    return {
      db,
      created,
      watchOtherProcesses: feed.watch,
      notifyOtherProcesses: feed.notify,
      // PostgreSQL looks once a minute by itself; until then it reads tables that it takes for small from end to end.
      analyze: () =>
        withoutHurry(
          pg,
          config,
          async (database) => void (await sql`analyze "user", membership, synchronized_user`.execute(database)),
        ),
      watchReconnects(listener) {
        reconnected.add(listener)
        return () => void reconnected.delete(listener)
      },
      problem: async () => (await problemOf(servers, () => new pg.Client(config))) ?? writes.problem(db),
      async close() {
        await feed.close()
        await db.destroy()
      },
    }
  } catch (error) {
    await db.destroy()
    // Kysely ends no pool that it has not used yet.
    await pool.end().catch(() => {})
    throw error
  }
}

/**
 * Works on a database as it is, in one transaction without a timeout. Nothing migrates it before.
 * @param url As of `openPostgresStore`.
 */
export async function inPostgresTransaction<T>(url: string, work: (db: Queryable) => Promise<T>): Promise<T> {
  const pg = await load()
  const config = { ...configOf(pg, url, 'to'), connectionTimeoutMillis: connectTimeout }
  return withoutHurry(pg, config, (database) =>
    database
      .transaction()
      .setIsolationLevel('read committed')
      .execute(async (db) => {
        // A role or database may have limits of its own.
        for (const limit of ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'])
          await sql`set local ${sql.ref(limit)} = 0`.execute(db)
        return work(db)
      }),
  )
}

/** Why this node does not use the database that its address leads to, if it still does. */
async function problemOf(servers: ServerWatch, newClient: () => Pg.Client): Promise<string | undefined> {
  if (servers.problem() === undefined) return undefined
  // Those of the pool may be older.
  const client = newClient()
  client.on('error', () => {})
  try {
    await client.connect()
    await servers.compare(client)
  } catch {
    // Where it cannot be reached, the last answer counts.
  } finally {
    void client.end().catch(() => {})
  }
  return servers.problem()
}

export interface PostgresOpenOptions extends OpenOptions {
  /** The address for notifications about changes of other nodes, when `url` is a pooler that lends connections by transaction. */
  readonly listenDatabase?: string | undefined
  /** Called when notifications do not arrive although the database answers, and when they arrive again. */
  readonly onHearing?: (hears: boolean) => void
  /** How often the listening connection is tried, milliseconds. */
  readonly beat?: number
}

/** Statements that read or rewrite a large table, as a migration may, have no timeout. */
async function withoutHurry<T>(
  pg: typeof Pg,
  config: Pg.ClientConfig,
  work: (db: SerializableDatabase<Database>) => Promise<T>,
): Promise<T> {
  const db = openDatabase(openPool(pg, config), createWhileContended(Infinity))
  try {
    return await work(db)
  } finally {
    await db.destroy()
  }
}

function openPool(pg: typeof Pg, config: Pg.ClientConfig): Pg.Pool {
  const pool = new pg.Pool({
    ...config,
    max: maxConnections,
    maxLifetimeSeconds: maxAge,
    idleTimeoutMillis: idleTime,
    pipeline: true,
  })
  // A connection broke: idle, or between two queries. The next query says so, or gets another one.
  return pool
    .on('error', () => {})
    .on('connect', (client) => {
      client.on('error', () => {})
      watchWarnings(client)
    })
}

function openDatabase(
  pool: PostgresPool,
  whileContended: WhileContended,
  writes: WriteHealth = createWriteHealth(),
): SerializableDatabase<Database> {
  const dialect = createPostgresDialect(pool, whileContended, writes)
  return new SerializableDatabase<Database>({ dialect, plugins: [new CamelCasePlugin()] }, whileContended)
}

/**
 * The database ends what this node has given up, and what a node that no longer runs has left open, whose locks would hold
 * up the others. A pooler may refuse to pass this on; connections that are given up end their work there as well.
 */
async function limitsOf(pg: typeof Pg, config: Pg.ClientConfig, timeout: number): Promise<Pg.ClientConfig> {
  const limits = { statement_timeout: timeout, idle_in_transaction_session_timeout: timeout }
  const client = new pg.Client({ ...config, ...limits })
  client.on('error', () => {})
  try {
    await client.connect()
    return limits
  } catch (error) {
    if (error instanceof Error && error.message.includes('unsupported startup parameter')) return {}
    throw error
  } finally {
    await client.end()
  }
}

async function queryOnce(pool: PostgresPool, text: string, values: unknown[]): Promise<unknown> {
  const client = await pool.connect()
  try {
    return await client.query({ name: 'notification', text, values })
  } finally {
    client.release()
  }
}

async function load(): Promise<typeof Pg> {
  const library = { name: 'pg', purpose: 'A PostgreSQL database', oldest: '8' }
  const { default: pg } = await loadOptional(library, () => import('pg'))
  return pg
}

/** @param option What the address was given as. */
function configOf(pg: typeof Pg, url: string, option: string): Pg.ClientConfig {
  // The parser's own error would quote the password.
  if (!URL.canParse(url))
    throw new TypeError(`${option}: this is no address such as postgres://user:password@host/name`)
  return {
    connectionString: url,
    keepAlive: true,
    keepAliveInitialDelayMillis: probeAfter,
    application_name: 'second-factor',
    types: {
      // Times and sequences stay far below 2^53.
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === int8 ? Number : pg.types.getTypeParser(oid, format),
    },
  }
}

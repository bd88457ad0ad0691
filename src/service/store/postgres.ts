import type Pg from 'pg'
import { CamelCasePlugin, sql } from 'kysely'

import type { Engine } from './migrations/engine.ts'
import { migrate } from './migrations/migrate.ts'
import { createWhileContended, SerializableDatabase } from './postgres-contention.ts'
import { createPostgresDialect } from './postgres-dialect.ts'
import { openNews } from './postgres-news.ts'
import type { Database } from './schema.ts'
import type { Store } from './store.ts'

/** Connections of one node for queries; another one listens. */
const mostConnections = 10
/** How long a connection, and an answer, may take until the database counts as gone; milliseconds. */
const connectTimeout = 5_000
const queryTimeout = 30_000
/** The type of `bigint`, as pg_type has it. */
const int8 = 20

/** @param url `postgres://user:password@host:port/database`, as libpq reads it. Never repeated in errors. */
export async function openPostgresStore(url: string): Promise<Store> {
  const pg = await load()
  const config = configOf(pg, url)
  const pool = new pg.Pool({ ...config, max: mostConnections, statement_timeout: queryTimeout })
  // A connection broke: idle, or between two queries. The next query says so, or gets another one.
  pool.on('error', () => {}).on('connect', (client) => void client.on('error', () => {}))
  const whileContended = createWhileContended()
  const dialect = createPostgresDialect(pool, whileContended)
  const db = new SerializableDatabase<Database>({ dialect, plugins: [new CamelCasePlugin()] }, whileContended)
  try {
    await migrate(db, postgresEngine)
    const news = await openNews(
      () => new pg.Client(config),
      (text, values) => pool.query(text, values),
    )
    return {
      db,
      watchOthers: news.watch,
      tellOthers: news.tell,
      // By itself it looks once a minute; until then it reads tables that it takes for small from end to end.
      async takeStock() {
        await sql`analyze "user", membership, synchronised_user`.execute(db)
      },
      async close() {
        await news.close()
        await db.destroy()
      },
    }
  } catch (error) {
    await db.destroy()
    throw error
  }
}

const postgresEngine: Engine = {
  sequenceType: 'bigserial',
  sequence: (column) => column.primaryKey(),
  // Byte for byte, and whatever the database's own rules for words are.
  exactText: sql`text collate "C"`,
}

async function load(): Promise<typeof Pg> {
  try {
    const { default: pg } = await import('pg')
    return pg
  } catch (cause) {
    throw new Error('The service keeps its data in PostgreSQL with pg: npm install pg', { cause })
  }
}

function configOf(pg: typeof Pg, url: string): Pg.ClientConfig {
  // Its own complaint would quote the password.
  if (!URL.canParse(url)) throw new TypeError('database: this is no address such as postgres://user:password@host/name')
  return {
    connectionString: url,
    connectionTimeoutMillis: connectTimeout,
    query_timeout: queryTimeout,
    keepAlive: true,
    application_name: 'second-factor',
    types: {
      // Times and sequences stay far below 2^53.
      getTypeParser: (oid: number, format?: 'text' | 'binary') =>
        oid === int8 ? Number : pg.types.getTypeParser(oid, format),
    },
  }
}

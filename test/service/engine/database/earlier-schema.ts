import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

import BetterSqlite3 from 'better-sqlite3'
import { Kysely, PostgresDialect, sql, SqliteDialect } from 'kysely'
import { Client, Pool } from 'pg'

import { root } from '../../../../scripts/run.ts'
import { postgresEngine } from '../../../../src/service/engine/database/schema/engine-postgres.ts'
import { sqliteEngine } from '../../../../src/service/engine/database/schema/engine-sqlite.ts'
import type { Engine } from '../../../../src/service/engine/database/schema/engine.ts'
import { migrations } from '../../../../src/service/engine/database/schema/migrations.ts'
import type { Queryable } from '../../../../src/service/engine/database/schema/schema.ts'
import type { engines } from '../../../support/engines.ts'

type EngineTitle = (typeof engines)[number]

export const schemaEngine = (engine: EngineTitle): Engine => (engine === 'SQLite' ? sqliteEngine : postgresEngine)

/** A database as it is, which nothing migrates. */
export function openRaw(engine: EngineTitle, database: string): Queryable {
  const dialect =
    engine === 'SQLite'
      ? new SqliteDialect({ database: new BetterSqlite3(database) })
      : new PostgresDialect({ pool: new Pool({ connectionString: database }) })
  return new Kysely({ dialect })
}

/** Makes the schema of an empty database as builds without hashes did. @param last The name of the last migration. */
export async function migrateUntil(db: Queryable, engine: EngineTitle, last: string): Promise<void> {
  await sql`create table kysely_migration (name varchar(255) not null primary key, timestamp varchar(255) not null)`.execute(
    db,
  )
  for (const [name, statements] of Object.entries(migrations(schemaEngine(engine)))) {
    if (name > last) break
    for (const statement of statements) await sql.raw(statement).execute(db)
    await sql`insert into kysely_migration values (${name}, '2026-11-01T00:00:00.000Z')`.execute(db)
  }
}

/** What a test has to know of a database in order to use it. */
interface Known {
  readonly keys: string
  /** The end of its clock, Unix time in seconds. */
  readonly end: number
  readonly domain: string
  readonly apiKey: string
  readonly user: string
  /** The seed of the user's authenticator app, hexadecimal. */
  readonly seed: string
  readonly bypassCode: string
}

/**
 * Fills an empty database as the last build without hashes left it, with migration 0014: two users, a device, tokens, codes and
 * sessions. `test/fixtures/schema-0014/` was made by that build.
 */
export async function restoreSchema14(engine: EngineTitle, database: string): Promise<Known> {
  const folder = join(root, 'test/fixtures/schema-0014')
  const unpacked = (name: string) => gunzipSync(readFileSync(join(folder, name)))
  if (engine === 'SQLite') writeFileSync(database, unpacked('sqlite.gz'))
  else await executeAll(database, unpacked('postgres.sql.gz').toString())
  return JSON.parse(readFileSync(join(folder, engine === 'SQLite' ? 'sqlite.json' : 'postgres.json'), 'utf8'))
}

async function executeAll(database: string, statements: string): Promise<void> {
  const client = new Client(database)
  await client.connect()
  await client.query(statements)
  await client.end()
}

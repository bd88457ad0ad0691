/** A database with very many people, as the lists of administrators meet them: filled by SQL, as adding them one by one would take hours. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import Sqlite from 'better-sqlite3'
import { Client } from 'pg'

import { systemClock } from '../../src/ground/clock.ts'
import { openPostgresStore } from '../../src/service/engine/database/postgres.ts'
import { sqliteEngine } from '../../src/service/engine/database/schema/engine-sqlite.ts'
import { migrations } from '../../src/service/engine/database/schema/migrations.ts'
import type { Queryable } from '../../src/service/engine/database/schema/schema.ts'
import { openSqliteStore } from '../../src/service/engine/database/sqlite.ts'
import type { Store } from '../../src/service/engine/database/store.ts'
import { startPostgres } from '../../test/support/postgres.ts'
import { domainRow } from '../../test/support/many-users.ts'

export const organizationId = '0'.repeat(40)
/** Everyone is a member of this app, which sends codes by e-mail. */
export const domainId = '1'.repeat(40)

export const databases = ['SQLite', 'PostgreSQL'] as const
export type DatabaseName = (typeof databases)[number]

export interface ManyPeople {
  readonly store: Store
  /** Runs statements without the triggers, which would take minutes. Analyzes PostgreSQL, as it does by itself. */
  readonly execute: (statements: readonly string[]) => Promise<void>
  readonly stop: () => Promise<void>
}

/** People with an address, without a factor, who were added just now. */
export async function createPeople(database: DatabaseName, count: number): Promise<ManyPeople> {
  const people = await (database === 'SQLite' ? openSqlite() : openPostgres())
  await addDomain(people.store.db)
  const now = systemClock.now()
  await people.execute([
    `insert into "user" (sequence, id, organization_id, username, name_key, name, email, ever_enrolled, created_at)
      with recursive number (n) as (select 1 union all select n + 1 from number where n < ${count})
      select n, '${'f'.repeat(32)}' || cast(10000000 + n as text), '${organizationId}', 'person' || n, 'person' || n,
      'Person', 'person@example.com', 1, ${now} from number`,
    `insert into person_order (position, organization_id, name)
      select sequence, organization_id, 'person ' || (sequence * 7919 % ${count}) from "user"`,
    `insert into membership (domain_id, user_id, user_sequence) select '${domainId}', id, sequence from "user"`,
    ...facts,
  ])
  return people
}

/** What triggers would have kept, as the migration fills it in. */
const facts: readonly string[] = migrations(sqliteEngine)['0026-person-facts'].filter((statement) =>
  statement.startsWith('update '),
)

/** Gives everyone a device and a sign-in of today. */
export const enrollEveryone: readonly string[] = [
  `insert into token (id, domain_id, user_id, state, created_at)
    select cast(sequence as text), domain_id, user_id, 'active', 1 from membership`,
  `insert into last_sign_in (user_sequence, at) select sequence, created_at from "user"`,
  'update person_order set signed_in_at = (select created_at from "user" where sequence = position)',
  ...facts,
]

async function openSqlite(): Promise<ManyPeople> {
  const folder = mkdtempSync(join(tmpdir(), 'second-factor-people-'))
  const file = join(folder, 'mfa.sqlite')
  const store = await openSqliteStore(file)
  return {
    store,
    execute(statements) {
      const database = new Sqlite(file)
      const triggers = database
        .prepare<[], string>("select name from sqlite_schema where type = 'trigger'")
        .pluck()
        .all()
      for (const name of triggers) database.exec(`drop trigger ${name}`)
      for (const statement of statements) database.exec(statement)
      database.close()
      return Promise.resolve()
    },
    async stop() {
      await store.close()
      rmSync(folder, { recursive: true })
    },
  }
}

async function openPostgres(): Promise<ManyPeople> {
  const postgres = await startPostgres()
  const url = await postgres.createEmptyDatabase()
  // A request would be refused after 4 s, and how long one takes is the question.
  const store = await openPostgresStore(url, { timeout: 120_000 })
  const client = new Client(url)
  await client.connect()
  await client.query('set session_replication_role = replica')
  return {
    store,
    async execute(statements) {
      for (const statement of statements) await client.query(statement)
      await client.query('vacuum analyze')
    },
    async stop() {
      await client.end()
      await store.close()
      await postgres.stop()
    },
  }
}

async function addDomain(db: Queryable): Promise<void> {
  await db.insertInto('organization').values({ id: organizationId, name: 'O', createdAt: 1 }).execute()
  await db
    .insertInto('domain')
    .values({ ...domainRow, id: domainId, organizationId, name: 'Intranet', emailOtpEnabled: 1 })
    .execute()
}

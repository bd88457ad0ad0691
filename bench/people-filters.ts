/**
 * `node bench/people-filters.ts [people] [SQLite|PostgreSQL]`: how long a page of the console takes for each filter, where it finds nobody, few
 * or everyone. All people are made by SQL: first without an address and a factor, then with an address, then with a device. Prints the
 * median of three in milliseconds, for administrators of all apps and of one.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import Sqlite from 'better-sqlite3'
import { Client } from 'pg'

import { PeopleFilter } from '../src/admin-contract/people.ts'
import { systemClock } from '../src/ground/clock.ts'
import { sqliteEngine } from '../src/service/engine/database/schema/engine-sqlite.ts'
import { migrations } from '../src/service/engine/database/schema/migrations.ts'
import { openPostgresStore } from '../src/service/engine/database/postgres.ts'
import type { Queryable } from '../src/service/engine/database/schema/schema.ts'
import { openSqliteStore } from '../src/service/engine/database/sqlite.ts'
import type { Store } from '../src/service/engine/database/store.ts'
import type { Call } from '../src/service/engine/http/route.ts'
import { readPeople } from '../src/service/features/people/pages.ts'
import { startPostgres } from '../test/support/postgres.ts'

const people = Number(process.argv[2] ?? 1_000_000)
const organizationId = '0'.repeat(40)
const [intranet, wiki] = ['1'.repeat(40), '2'.repeat(40)]
const now = systemClock.now()

interface Opened {
  readonly store: Store
  /** Past the store, whose statements may take a few seconds. */
  readonly execute: (statement: string) => Promise<unknown>
  readonly stop: () => Promise<void>
}

async function open(engine: string): Promise<Opened> {
  if (engine === 'PostgreSQL') {
    const postgres = await startPostgres()
    const url = await postgres.createEmptyDatabase()
    const store = await openPostgresStore(url)
    const client = new Client(url)
    await client.connect()
    // Triggers would take minutes.
    await client.query('set session_replication_role = replica')
    const stop = async () => {
      await client.end()
      await store.close()
      await postgres.stop()
    }
    return { store, execute: (statement) => client.query(statement), stop }
  }
  const folder = mkdtempSync(join(tmpdir(), 'second-factor-people-'))
  const store = await openSqliteStore(join(folder, 'mfa.sqlite'))
  const stop = async () => {
    await store.close()
    rmSync(folder, { recursive: true })
  }
  const execute = (statement: string) => {
    const database = new Sqlite(join(folder, 'mfa.sqlite'))
    const triggers = database.prepare<[], string>("select name from sqlite_schema where type = 'trigger'").pluck().all()
    for (const name of triggers) database.exec(`drop trigger ${name}`)
    database.exec(statement)
    database.close()
    return Promise.resolve()
  }
  return { store, execute, stop }
}

/** Everyone is a member of the intranet, which sends codes by e-mail, and every tenth of the wiki, which does not. */
async function fill(db: Queryable): Promise<void> {
  await db.insertInto('organization').values({ id: organizationId, name: 'O', createdAt: 1 }).execute()
  for (const [id, emailOtpEnabled] of [
    [intranet, 1],
    [wiki, 0],
  ] as const)
    await db
      .insertInto('domain')
      .values({
        id,
        organizationId,
        name: id,
        type: 'WEB',
        keyType: 'NONE',
        maxAllowedRetries: 5,
        requestTimeout: 90,
        activationCodeExpiration: 7,
        requestPollingEnabled: 1,
        bypassEnabled: 0,
        emailOtpEnabled,
        numberMatching: 'offered',
        createdAt: 1,
      })
      .execute()
}

const numbers = `with recursive number (n) as (select 1 union all select n + 1 from number where n < ${people})`
const id = `'${'f'.repeat(32)}' || cast(10000000 + n as text)`
/** A hundred of them, wherever they are in a list. */
const few = `sequence % ${Math.max(2, Math.floor(people / 100))} = 1`

const facts = migrations(sqliteEngine)['0026-person-facts'].filter((statement) => statement.startsWith('update'))

const steps: readonly { readonly title: string; readonly statements: readonly string[] }[] = [
  {
    title: 'added just now, with an address and without a factor',
    statements: [
      `insert into "user" (sequence, id, organization_id, username, name_key, name, email, ever_enrolled, created_at)
        ${numbers} select n, ${id}, '${organizationId}', 'person' || n, 'person' || n, 'Person', 'person@example.com', 1, ${now} from number`,
      `insert into person_order (position, organization_id, name)
        select sequence, organization_id, 'person ' || (sequence * 7919 % ${people}) from "user"`,
      `insert into membership (domain_id, user_id, user_sequence) select '${intranet}', id, sequence from "user"`,
      `insert into membership (domain_id, user_id, user_sequence)
        select '${wiki}', id, sequence from "user" where sequence % 10 = 0`,
      ...facts,
    ],
  },
  {
    title: 'with a device in each app, signed in lately',
    statements: [
      `insert into token (id, domain_id, user_id, state, created_at)
        select cast(sequence as text), domain_id, user_id, 'active', 1 from membership`,
      `insert into last_sign_in (user_sequence, at) select sequence, ${now} from "user"`,
      `update person_order set signed_in_at = ${now}`,
      ...facts,
    ],
  },
  {
    title: 'the same, but for a hundred people for each filter',
    statements: [
      `delete from token where user_id in (select id from "user" where ${few})`,
      `update "user" set email = '' where ${few} and sequence % 3 = 0`,
      `update "user" set created_at = 1 where ${few}`,
      `update last_sign_in set at = 1 where user_sequence in (select sequence from "user" where ${few})`,
      `update person_order set signed_in_at = 1 where position in (select sequence from "user" where ${few})`,
      `insert into bypass_code (id, user_id, code, code_lookup, uses_allowed, uses_remaining, expires_at, created_at)
        select id, id, '', id, 1, 1, 4000000000, 1 from "user" where ${few}`,
      ...facts.map(
        (statement) =>
          `${statement} where ${statement.includes('update membership') ? 'user_sequence' : 'position'} % ${Math.max(2, Math.floor(people / 100))} = 1`,
      ),
    ],
  },
]

async function measure(store: Store, engine: string): Promise<void> {
  for (const filter of PeopleFilter.options) {
    const cells: string[] = []
    for (const domainIds of [null, [intranet], [wiki]])
      for (const sort of ['name', 'lastSignIn'] as const) {
        const call = {
          store,
          clock: systemClock,
          console: { administrator: { organizationId, domainIds } },
        } as unknown as Call
        const times: number[] = []
        let count = ''
        for (let round = 0; round < 3; round += 1) {
          const start = performance.now()
          const { total } = await readPeople(call, { filter }, { sort, from: 1 })
          times.push(performance.now() - start)
          count = `${total.count}${total.more ? '+' : ''}`
        }
        const [, median = 0] = times.toSorted((one, other) => one - other)
        cells.push(`${median.toFixed(1).padStart(8)} (${count})`.padEnd(17))
      }
    console.log(`${engine.padEnd(10)} ${filter.padEnd(12)} ${cells.join(' ')}`)
  }
}

for (const engine of process.argv[3] ? [process.argv[3]] : ['SQLite', 'PostgreSQL']) {
  const { store, execute, stop } = await open(engine)
  await fill(store.db)
  for (const step of steps) {
    for (const statement of step.statements) await execute(statement)
    // As PostgreSQL does by itself. The service never analyzes SQLite.
    if (engine === 'PostgreSQL') await execute('vacuum analyze')
    console.log(`\n${engine}, ${step.title}`)
    await measure(store, engine)
  }
  await stop()
}

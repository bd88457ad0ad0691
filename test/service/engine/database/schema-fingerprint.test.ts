import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'

import { codeAt, stepAt } from '../../../../src/service/features/codes/totp.ts'
import { embedded } from '../../../../src/service/embedded.ts'
import { openPostgresStore } from '../../../../src/service/engine/database/postgres.ts'
import { knownMigrations } from '../../../../src/service/engine/database/schema/known-migrations.ts'
import { openSqliteStore } from '../../../../src/service/engine/database/sqlite.ts'
import type { OpenOptions } from '../../../../src/service/engine/database/store.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import { describeInFullRun, inFullRun } from '../../../support/full-run.ts'
import { createCall, newUser, startService } from '../../start-service.ts'
import { migrateUntil, openRaw, restoreSchema14, schemaEngine } from './earlier-schema.ts'

const otherBuild = 'made by another build of second-factor, not by a newer version'

/** Databases as other builds left them. */
function earlierDatabases(engine: (typeof mainEngines)[number]) {
  const newDatabase = useEngine(engine, { empty: true })

  async function open(database: string, options?: OpenOptions): Promise<void> {
    const store = await (engine === 'SQLite' ? openSqliteStore : openPostgresStore)(database, options)
    await store.close()
  }

  /** Executes statements without opening the database as a service does. @returns the rows of the last one. */
  async function execute(database: string, ...statements: readonly string[]): Promise<unknown> {
    const db = openRaw(engine, database)
    try {
      let rows: unknown
      for (const statement of statements) ({ rows } = await sql.raw(statement).execute(db))
      return rows
    } finally {
      await db.destroy()
    }
  }

  async function schema14(...changes: readonly string[]): Promise<string> {
    const database = await newDatabase()
    await restoreSchema14(engine, database)
    await execute(database, ...changes)
    return database
  }

  async function upgraded(...changes: readonly string[]): Promise<string> {
    const database = await schema14()
    await open(database)
    await execute(database, ...changes)
    return database
  }

  const readMigrations = (database: string) =>
    execute(database, 'select name, hash from kysely_migration order by name')

  return { newDatabase, open, execute, schema14, upgraded, readMigrations }
}

/** What each database contains once it is open. */
const hashesOfThisBuild = (engine: (typeof mainEngines)[number]) =>
  knownMigrations.map((migration) => ({ name: migration.name, hash: migration[schemaEngine(engine).name] }))

describeInFullRun.each(mainEngines)('the fingerprint of a schema on %s', (engine) => {
  const { newDatabase, open, execute, schema14, upgraded, readMigrations } = earlierDatabases(engine)

  it('a service uses a database that the last build without hashes made', async () => {
    const database = await newDatabase()
    const { keys, end, domain, apiKey, user, seed, bypassCode } = await restoreSchema14(engine, database)
    const running = await startService({ database, keys }, {}, end + 300)
    const call = createCall(running.origin, apiKey)
    const signIn = async (factor: object) =>
      (await call('POST', `/domains/${domain}/sessions`, { body: { user: { id: user }, ...factor } })).json.state

    const otp = codeAt({ seed, digits: 6 }, stepAt(running.clock.now(), 30))
    const states = [await signIn({ otp }), await signIn({ bypasscode: bypassCode }), await signIn({ otp: '000000' })]
    const before = (await call('GET', `/users/${user}`)).json
    const added = await call('POST', '/users', { body: newUser('later') })
    await running.close()

    expect(states).toEqual(['approved', 'approved', 'denied'])
    expect([before.username, before.name, added.status]).toEqual(['anna', 'Ána Łoś', 200])
    expect(await readMigrations(database)).toEqual(hashesOfThisBuild(engine))
  })

  it('a new database has the hash of each migration', async () => {
    const database = await newDatabase()
    await open(database)

    expect(await readMigrations(database)).toEqual(hashesOfThisBuild(engine))
  })

  it('an earlier database is upgraded once by processes that open it at the same time', async () => {
    const database = await schema14()
    await Promise.all([open(database), open(database), open(database)])

    expect(await readMigrations(database)).toEqual(hashesOfThisBuild(engine))
  })

  it('indexes, tables and views of an administrator do not make a database one of another build', async () => {
    const additions = [
      'create index my_index on "user" (email)',
      'create unique index my_unique_index on domain (id, name)',
      'create table my_table (id text primary key)',
      'create view my_view as select id, name from domain',
    ]
    const database = await schema14(...additions)
    await open(database)
    await execute(database, 'create index my_later_index on "user" (name)')
    await open(database)

    expect(await readMigrations(database)).toEqual(hashesOfThisBuild(engine))
  })

  it('an app with an embedded service learns that its database is of another build', async () => {
    const database = await upgraded("update kysely_migration set hash = 'other'")
    const service = embedded({ database, keys: `k1:${Buffer.alloc(32, 1).toString('base64')}` })

    await expect(Promise.resolve(service.connect())).rejects.toThrow(otherBuild)
    await service.close()
  })

  it('a database of a newer version is told from one of another build', async () => {
    const newer = "insert into kysely_migration values ('9001-later', '2030-01-01T00:00:00.000Z', 'later')"
    const ofNewer = await upgraded(newer)
    const ofNewerOther = await upgraded(newer, "update kysely_migration set hash = 'other' where name = '0002-consent'")

    await expect(open(ofNewer)).rejects.toThrow('made by a newer version of second-factor (schema 9001, this one knows')
    await expect(open(ofNewerOther)).rejects.toThrow(
      'made by another build of second-factor: its migration 0002-consent differs',
    )
  })
})

describe.each(mainEngines)('a database on %s that this build did not make', (engine) => {
  const { newDatabase, open, execute, schema14, upgraded, readMigrations } = earlierDatabases(engine)

  inFullRun.each(['0001-schema', '0009-folded-search', '0013-mail-report'])(
    'a database whose last migration is %s is compared and upgraded',
    async (last) => {
      const database = await newDatabase()
      const db = openRaw(engine, database)
      await migrateUntil(db, engine, last)
      await db.destroy()
      await open(database)

      expect(await readMigrations(database)).toEqual(hashesOfThisBuild(engine))
    },
  )

  it.each([
    ['another column', 'alter table domain add column color text'],
    ['no column time_zone', 'alter table "user" drop column time_zone'],
    ['no index token_user', 'drop index token_user'],
    ['another index token_user', 'drop index token_user', 'create index token_user on token (user_id, state)'],
    ['no table mail_report', 'drop table mail_report'],
  ])('a database without hashes and with %s is of another build, and is not changed', async (_, ...changes) => {
    const database = await schema14(...changes)

    await expect(open(database)).rejects.toThrow(`${otherBuild}: its tables are not those that its migrations make`)
    await expect(readMigrations(database)).rejects.toThrow('hash')
  })

  it.each([
    [
      'another hash',
      "update kysely_migration set hash = 'other' where name = '0009-folded-search'",
      '0009-folded-search',
    ],
    ['no hash', "update kysely_migration set hash = null where name = '0015-migration-hash'", '0015-migration-hash'],
    [
      'another name',
      "update kysely_migration set name = '0014-other' where name = '0014-time-zone-of-user'",
      '0014-time',
    ],
    ['no migration', 'delete from kysely_migration', '0001-schema'],
  ])(`a database is of another build where a migration has %s`, async (_, change, name) => {
    const database = await upgraded(change)

    await expect(open(database)).rejects.toThrow(`${otherBuild}: its migration ${name}`)
    await expect(open(database, { create: false })).rejects.toMatchObject({ name: 'OtherBuildError' })
  })

  it.each([
    ['a table of our name', 'create table "user" (id integer primary key)'],
    ['an organization', 'create table organization (id integer primary key)'],
    [
      'migrations of its own',
      "insert into kysely_migration values ('2024-first', '2024-01-01T00:00:00.000Z')",
      'create table kysely_migration (name varchar(255) primary key, timestamp varchar(255) not null)',
    ],
  ])(`a database of another app with %s is not used`, async (_, change, ...before) => {
    const database = await newDatabase()
    await execute(database, ...before, change)

    await expect(open(database)).rejects.toThrow('not one of second-factor')
    await expect(open(database, { create: false })).rejects.toThrow('not one of second-factor')
    await expect(execute(database, 'select * from hardware_token')).rejects.toThrow('hardware_token')
  })
})

import { sql } from 'kysely'
import { describe, expect, it } from 'vitest'

import { openPostgresStore } from '../../../../src/service/engine/database/postgres.ts'
import type { Queryable } from '../../../../src/service/engine/database/schema/schema.ts'
import { openSqliteStore } from '../../../../src/service/engine/database/sqlite.ts'
import { listMembers } from '../../../../src/service/features/users/member-statements.ts'
import { engines, useEngine } from '../../../support/engines.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { migrateUntil, openRaw } from './earlier-schema.ts'

describe.each(engines)('a database of an earlier version on %s', (engine) => {
  const newDatabase = useEngine(engine, { empty: true })

  /** Creates a database whose last migration is the named one, and fills it. */
  async function before(last: string, statements: readonly string[]): Promise<string> {
    const database = await newDatabase()
    const db = openRaw(engine, database)
    await migrateUntil(db, engine, last)
    for (const statement of statements) await sql.raw(statement).execute(db)
    await db.destroy()
    return database
  }

  /** What this version reads from it. */
  async function after<T>(database: string, read: (db: Queryable) => Promise<T>): Promise<T> {
    const store = await (engine === 'SQLite' ? openSqliteStore(database) : openPostgresStore(database))
    try {
      return await read(store.db)
    } finally {
      await store.close()
    }
  }

  const organization = "insert into organization (id, name, created_at) values ('o', 'Acme', 1)"
  const administrator = `insert into administrator (id, organization_id, name, email, role, user_handle, created_at)
    values ('a', 'o', 'Ada', 'ada@example.com', 'admin', 'h', 1)`

  inFullRun('a migrated database finds its people, devices and hardware tokens, each with its domain', async () => {
    const quoted = engine === 'SQLite' ? 'user' : '"user"'
    const database = await before('0003-consent-subject', [
      organization,
      `insert into ${quoted} (id, organization_id, username, name, email, ever_enrolled, created_at)
        values ('u', 'o', 'anna', 'Anna', 'anna@example.com', 0, 1)`,
      ...['d1', 'd2', 'd3'].map(
        (id) => `insert into device (id, token_id, domain_id, user_id, name, key_x, key_y, created_at, revoked_at)
          values ('${id}', 't', 'of ${id}', 'u', 'Phone ${id}', '', '', 1, ${id === 'd3' ? '2' : 'null'})`,
      ),
      `insert into code_generator (id, seed, digits, period, last_step, drift, sync_state)
        values ('h', 's', 6, 30, 0, 0, 'Never Used')`,
      `insert into hardware_token (id, organization_id, alias, serial_number, user_id, created_at)
        values ('h', 'o', 'x', 'SN1', 'u', 1)`,
    ])

    const rows = await after(database, async (db) => {
      await sql`update device set revoked_at = 3 where id = 'd1'`.execute(db)
      await sql`update ${sql.table('user')} set name = 'Anne' where id = 'u'`.execute(db)
      return db.selectFrom('searchRow').select(['subject', 'domainId', 'text']).orderBy('subject').execute()
    })

    expect(rows.map(({ text, ...row }) => ({ ...row, text: text.toLowerCase() }))).toEqual([
      { subject: 'd2', domainId: 'of d2', text: 'phone d2' },
      { subject: 'h', domainId: null, text: 'sn1' },
      { subject: 'u', domainId: null, text: 'anna\nanne\nanna@example.com' },
    ])
  })

  inFullRun(
    'a migrated database lists its members in the order of its users, also those whom an older node adds',
    async () => {
      const quoted = engine === 'SQLite' ? 'user' : '"user"'
      const users = ['c', 'a', 'b'].map(
        (id) => `insert into ${quoted} (id, organization_id, username, name, email, ever_enrolled, created_at)
        values ('${id}', 'o', '${id}', '${id}', '', 0, 1)`,
      )
      const domain = `insert into domain (id, organization_id, name, type, key_type, max_allowed_retries, request_timeout,
      activation_code_expiration, request_polling_enabled, bypass_enabled, email_otp_enabled, number_matching, created_at)
      values ('d', 'o', 'd', 'WEB', 'NONE', 5, 90, 7, 1, 0, 0, 'offered', 1)`
      const add = (id: string) => `insert into membership (domain_id, user_id) values ('d', '${id}')`
      const database = await before('0014-time-zone-of-user', [organization, domain, ...users, add('b'), add('c')])

      const members = await after(database, async (db) => {
        await sql.raw(add('a')).execute(db)
        return listMembers(db, 'd', { after: 0, offset: 0 })
      })

      expect(members.map(({ id }) => id)).toEqual(['c', 'a', 'b'])
    },
  )

  it('a migrated database no longer has requests between administrators, which did not say what they were for', async () => {
    const request = (id: string, state: string) =>
      `insert into approval (id, organization_id, operation, user_id, requested_by, because, state, created_at, expires_at)
        values ('${id}', 'o', 'resetPerson', 'u', 'a', 'test', '${state}', 5, 905)`
    const requests = ['pending', 'approved', 'denied', 'used'].map((state, index) => request(`c${index}`, state))
    const database = await before('0001-schema', [organization, administrator, ...requests])

    const [consents, administrators] = await after(database, async (db) => [
      await db.selectFrom('consent').selectAll().execute(),
      await db.selectFrom('administrator').select('id').execute(),
    ])

    expect([consents, administrators]).toEqual([[], [{ id: 'a' }]])
  })
})

import { sql } from 'kysely'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { serviceId } from '../../../../src/service/engine/database/service-row.ts'
import { openPostgresStore } from '../../../../src/service/engine/database/postgres.ts'
import { startPostgres } from '../../../support/postgres.ts'
import type { Postgres } from '../../../support/postgres.ts'
import { newUser, startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

/** Reports a full disk or a disk error as the server does: PostgreSQL itself raises the error in every change. */
const failing = (state: string) => `
  create function fail() returns trigger language plpgsql as $$ begin raise exception using errcode = '${state}'; end $$;
  create trigger fails before insert or update on "user" execute function fail();
  create trigger fails before insert or update on service execute function fail()`
const working = 'drop function fail cascade'

/** Applies to new connections. The current ones are cut, as in a failover. */
const readOnly = (database: string, value: 'on' | 'off') => `
  set default_transaction_read_only = off;
  alter database "${database}" set default_transaction_read_only = ${value}`
const cut =
  'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()'

describe('a service whose PostgreSQL database rejects changes', () => {
  let postgres: Postgres
  let service: Running

  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres.stop())

  const ready = async () => (await fetch(`${service.origin}/readyz`)).status

  it.each([
    ['its disk is full', () => [failing('53100')], () => [working], 'The disk of the database is full.'],
    [
      'its disk reports an error',
      () => [failing('58030')],
      () => [working],
      'The disk of the database reports an error.',
    ],
    [
      'it is read-only, as after a failover',
      (name: string) => [readOnly(name, 'on'), cut],
      (name: string) => [readOnly(name, 'off')],
      'The database is read-only.',
    ],
  ])(
    'the service refuses changes with 503, is not ready, serves reads, and recovers without a restart when PostgreSQL fails: %s',
    async (_what, breaking, mending, words) => {
      const database = await postgres.createDatabase()
      const name = new URL(database).pathname.slice(1)
      service = await startService({ database })
      const admin = new Client(database)
      await admin.connect()
      onTestFinished(async () => {
        await admin.end()
        await service.close()
      })
      const { call, logged } = service
      const keptUser = await call('POST', '/users', { body: newUser('kept') })
      const before = await ready()

      for (const statement of breaking(name)) await admin.query(statement)
      // The first change may only detect that its connection was cut.
      const logAfterChange = async () => {
        await call('POST', '/users', { body: newUser('refused') })
        return JSON.stringify(logged.map(({ details }) => String(Object(details).reason)))
      }
      await expect.poll(logAfterChange).toContain(words)
      const refused = await call('POST', '/users', { body: newUser('refused') })
      const during = [await ready(), (await call('GET', '/users')).json.map((user: { id: string }) => user.id)]
      for (const statement of mending(name)) await admin.query(statement)
      await expect.poll(ready).toBe(200)
      const after = await call('POST', '/users', { body: newUser('after') })

      expect([refused.status, refused.code, refused.headers.get('retry-after')]).toEqual([
        503,
        'api.error.unavailable',
        '1',
      ])
      expect([before, during]).toEqual([200, [503, [keptUser.json.id]]])
      expect(after.status).toBe(200)
    },
  )

  it('a PostgreSQL store whose change was rejected uses a new connection next time, because another server may accept changes', async () => {
    const store = await openPostgresStore(await postgres.createDatabase())
    onTestFinished(() => store.close())
    await sql`set default_transaction_read_only = on`.execute(store.db)

    const refused = serviceId(store.db, 'first')
    await expect(refused).rejects.toThrow('The database is read-only.')

    expect(await serviceId(store.db, 'second')).toBe('second')
  })
})

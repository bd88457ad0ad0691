import BetterSqlite3 from 'better-sqlite3'
import { sql } from 'kysely'
import { expect, it } from 'vitest'

import { openSqliteStore } from '../../src/service/engine/database/sqlite.ts'
import type { Store } from '../../src/service/engine/database/store.ts'
import { startService } from '../service/start-service.ts'
import { inFullRun } from '../support/full-run.ts'

/** Of each table, also of those with which SQLite numbers rows and finds words. */
async function rowsOf({ db }: Store): Promise<Record<string, unknown[]>> {
  const { rows: tables } = await sql<{ name: string }>`select name from sqlite_schema where type = 'table'`.execute(db)
  const read = async ({ name }: { name: string }) => [
    name,
    (await sql`select * from ${sql.table(name)}`.execute(db)).rows,
  ]
  // What a full-text index stores of itself changes with each use.
  const own = /^user_search_(data|idx)$/
  return Object.fromEntries(await Promise.all(tables.filter(({ name }) => !own.test(name)).map(read)))
}

inFullRun('a new store in memory gets the database of a closed one without the data stored there', async () => {
  const firstStore = await openSqliteStore(':memory:')
  const whenNew = await rowsOf(firstStore)
  await firstStore.close()
  const service = await startService()
  const { user, ask } = await service.enroll('alice')
  await ask()
  await service.call('POST', `/users/${user.id}/bypasscodes`, { body: { usesAllowed: 1, expirationTime: 60 } })
  await service.close()

  const next = await openSqliteStore(':memory:')
  const rows = await rowsOf(next)
  const { rows: foundUsers } = await sql`select * from user_search where user_search match 'alice'`.execute(next.db)
  await next.close()

  expect(rows).toEqual(whenNew)
  expect(foundUsers).toEqual([])
})

it('a closed database in memory executes nothing on the next one', () => {
  const original = new BetterSqlite3(':memory:')
  original.exec('create table user_search (text); create table note (text)')
  const copied = original.serialize()
  const closed = new BetterSqlite3(copied)
  const insert = closed.prepare(`insert into note values ('late')`)
  closed.close()

  const next = new BetterSqlite3(copied)

  expect(() => insert.run()).toThrow('The database connection is not open')
  expect(() => closed.prepare('select 1')).toThrow('The database connection is not open')
  expect(next.prepare('select * from note').all()).toEqual([])
})

it('a store in memory whose schema was changed is not passed on', async () => {
  const changed = await openSqliteStore(':memory:')
  await sql`drop table tally`.execute(changed.db)
  await changed.close()

  const next = await openSqliteStore(':memory:')

  await expect(sql`select * from tally`.execute(next.db)).resolves.toMatchObject({ rows: [] })
  await next.close()
})

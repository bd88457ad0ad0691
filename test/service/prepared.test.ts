import { SqliteQueryCompiler } from 'kysely'
import { afterEach, describe, expect, it, vi } from 'vitest'

import { prepare } from '../../src/service/store/prepared.ts'
import { openSqliteStore } from '../../src/service/store/sqlite.ts'
import type { Store } from '../../src/service/store/store.ts'

const named = prepare((db, { id, name }: { id: string; name: string }) =>
  db.selectFrom('organization').select(['id', 'name', 'createdAt']).where('id', '=', id).where('name', '=', name),
)
const renamed = prepare((db, { id, name }: { id: string; name: string }) =>
  db.updateTable('organization').set({ name }).where('id', '=', id),
)

const stores: Store[] = []
afterEach(async () => {
  for (const store of stores.splice(0)) await store.close()
})

async function openStore() {
  const store = await openSqliteStore(':memory:')
  stores.push(store)
  for (const id of ['a', 'b']) {
    await store.db
      .insertInto('organization')
      .values({ id, name: `Name ${id}`, createdAt: 7 })
      .execute()
  }
  return store.db
}

describe('a prepared statement', () => {
  it('is compiled once for each database, in transactions, too', async () => {
    const [one, other] = [await openStore(), await openStore()]
    const compile = vi.spyOn(SqliteQueryCompiler.prototype, 'compileQuery')

    for (const id of ['a', 'b', 'a']) await named(one, { id, name: `Name ${id}` }).executeTakeFirst()
    await one.transaction().execute((db) => named(db, { id: 'a', name: 'Name a' }).execute())
    const once = compile.mock.calls.length
    await named(other, { id: 'a', name: 'Name a' }).executeTakeFirst()
    const twice = compile.mock.calls.length
    compile.mockRestore()

    expect([once, twice]).toEqual([1, 2])
  })

  it('is executed with the values of each call', async () => {
    const db = await openStore()

    const found = await Promise.all([
      named(db, { id: 'a', name: 'Name a' }).executeTakeFirst(),
      named(db, { name: 'Name b', id: 'b' }).executeTakeFirst(),
      named(db, { id: 'a', name: 'Name b' }).executeTakeFirst(),
      named(db, { id: 'b', name: 'Name b' }).execute(),
    ])

    expect(found).toEqual([
      { id: 'a', name: 'Name a', createdAt: 7 },
      { id: 'b', name: 'Name b', createdAt: 7 },
      undefined,
      [{ id: 'b', name: 'Name b', createdAt: 7 }],
    ])
  })

  it('says how many rows it has changed', async () => {
    const db = await openStore()

    const changed = [
      await renamed(db, { id: 'a', name: 'New' }).executeChange(),
      await renamed(db, { id: 'c', name: 'New' }).executeChange(),
    ]

    expect(changed).toEqual([1, 0])
  })
})

import { SqliteQueryCompiler } from 'kysely'
import { afterEach, describe, expect, it, vi } from 'vitest'

import type { Database, Queryable } from '../../../../src/service/engine/database/schema/schema.ts'
import {
  allRows,
  change,
  changesRow,
  compiledStatement,
  derived,
  firstRow,
  oneRow,
  pick,
  withDefaults,
} from '../../../../src/service/engine/database/statement.ts'
import type { List, Slot, Slots } from '../../../../src/service/engine/database/statement.ts'
import { openPostgresStore } from '../../../../src/service/engine/database/postgres.ts'
import { openSqliteStore } from '../../../../src/service/engine/database/sqlite.ts'
import type { Store } from '../../../../src/service/engine/database/store.ts'
import { engines, useEngine } from '../../../support/engines.ts'
import { describeInFullRun } from '../../../support/full-run.ts'

const named = firstRow('named', (db, { id, name }: Slots<{ id: string; name: string }>) =>
  db.selectFrom('organization').select(['id', 'name', 'createdAt']).where('id', '=', id).where('name', '=', name),
)
const among = allRows('among', (db, ids: List<string>) =>
  db.selectFrom('organization').select('id').where('id', 'in', ids).orderBy('id'),
)
const compiledOnce = firstRow('compiledOnce', (db, id: Slot<string>) =>
  db.selectFrom('organization').select('name').where('id', '=', id),
)
const notAmong = allRows('notAmong', (db, ids: List<string>) =>
  db.selectFrom('organization').select('id').where('id', 'not in', ids).orderBy('id'),
)
const rename = change('rename', (db, id: Slot<string>, name: Slot<string>) =>
  db.updateTable('organization').set({ name }).where('id', '=', id),
)
const setAppName = changesRow('setAppName', (db, id: Slot<string>, appName: Slot<string>) =>
  db.updateTable('organization').set({ appName }).where('id', '=', id),
)
const createdAfter = allRows('createdAfter', (db, now: Slot<number>) =>
  db
    .selectFrom('organization')
    .select('id')
    .where(
      'createdAt',
      '>',
      derived(now, (time) => time - 10),
    ),
)
type NewOrganization = Omit<Database['organization'], 'appName'> & { readonly appName?: string | null }
const insert = change('insert', (db, row: Slots<NewOrganization>) =>
  db
    .insertInto('organization')
    .values({ ...pick(row, ['id', 'name', 'createdAt']), ...withDefaults(row, { appName: null }) }),
)
const appName = oneRow('appName', (db, id: Slot<string>) =>
  db.selectFrom('organization').select('appName').where('id', '=', id),
)
const quoted = allRows('quoted', (db) =>
  db.selectFrom('organization').select('id').where('name', '=', `it's "a"`).where('createdAt', 'in', [6, 7]).limit(1),
)

describeInFullRun.each(engines)('a statement on %s', (engine) => {
  const newDatabase = useEngine(engine)
  const stores: Store[] = []
  afterEach(async () => {
    for (const store of stores.splice(0)) await store.close()
  })

  async function openStore(): Promise<Queryable> {
    const open = engine === 'PostgreSQL' ? openPostgresStore : openSqliteStore
    const store = await open(await newDatabase())
    stores.push(store)
    for (const id of ['a', 'b', 'c']) await insert(store.db, { id, name: `Name ${id}`, createdAt: 7 })
    return store.db
  }

  it('a statement is executed with the values of each call', async () => {
    const db = await openStore()

    const rows = await Promise.all([
      named(db, { id: 'a', name: 'Name a' }),
      named(db, { name: 'Name b', id: 'b' }),
      named(db, { id: 'a', name: 'Name b' }),
    ])

    expect(rows).toEqual([
      { id: 'a', name: 'Name a', createdAt: 7 },
      { id: 'b', name: 'Name b', createdAt: 7 },
      undefined,
    ])
  })

  it('a statement returns whether it changed a row', async () => {
    const db = await openStore()

    const facts = [await setAppName(db, 'a', 'App'), await setAppName(db, 'd', 'App')]

    expect(facts).toEqual([true, false])
  })

  it('a statement accepts lists of any length, including empty ones', async () => {
    const db = await openStore()

    const results = [await among(db, ['a', 'c', 'x']), await among(db, []), await notAmong(db, ['a', 'c'])]

    expect(results.map((rows) => rows.map(({ id }) => id))).toEqual([['a', 'c'], [], ['b']])
  })

  it('a statement computes values from those of a slot, and fills in defaults', async () => {
    const db = await openStore()
    await insert(db, { id: 'd', name: 'D', appName: 'App', createdAt: 20 })

    const young = await createdAfter(db, 20)

    expect(young.map(({ id }) => id)).toEqual(['d'])
    expect([await appName(db, 'a'), await appName(db, 'd')]).toEqual([{ appName: null }, { appName: 'App' }])
  })

  it('a statement writes constants as literals', async () => {
    const db = await openStore()
    await rename(db, 'a', `it's "a"`)

    expect(await quoted(db)).toEqual([{ id: 'a' }])
    expect(compiledStatement(db, 'quoted').parameters).toEqual([])
  })

  it('a statement rejects a result without rows if one is required', async () => {
    const db = await openStore()

    await expect(appName(db, 'x')).rejects.toThrow('The statement appName has no result.')
  })

  it('a statement rejects a missing value', async () => {
    const db = await openStore()
    const missing = { id: 'a' } as { id: string; name: string }

    await expect(named(db, missing)).rejects.toThrow('The statement named has no value for 0.name.')
  })
})

describe('a statement', () => {
  it('a statement is compiled once for all databases of an engine, even in transactions', async () => {
    const stores = [await openSqliteStore(':memory:'), await openSqliteStore(':memory:')] as const
    const [firstDb, secondDb] = [stores[0].db, stores[1].db]
    const compile = vi.spyOn(SqliteQueryCompiler.prototype, 'compileQuery')

    for (const id of ['a', 'b', 'a']) await compiledOnce(firstDb, id)
    await firstDb.transaction().execute((db) => compiledOnce(db, 'a'))
    await compiledOnce(secondDb, 'a')
    const count = compile.mock.calls.length
    compile.mockRestore()
    for (const store of stores) await store.close()

    expect(count).toBe(1)
  })

  it('a statement is refused after its transaction has ended', async () => {
    const store = await openSqliteStore(':memory:')
    let ended: Queryable | undefined
    await store.db.transaction().execute(async (db) => void (ended = db))

    const late = compiledOnce(ended as unknown as Queryable, 'a')

    await expect(late).rejects.toThrow('Transaction is already committed')
    await store.close()
  })

  it('a statement rejects a value that is not a list', async () => {
    const store = await openSqliteStore(':memory:')

    await expect(among(store.db, 'a' as never)).rejects.toThrow('0: expected a list.')

    await store.close()
  })

  it('a statement must have a unique name', () => {
    expect(() => allRows('named', (db) => db.selectFrom('organization').select('id'))).toThrow('two statements named')
  })
})

describe('a slot', () => {
  const uses: readonly (readonly [string, (slot: never) => unknown])[] = [
    ['computed with', (slot) => slot + 1],
    ['compared by size', (slot) => slot > 1],
    ['converted to a string', (slot) => String(slot)],
    ['spread as a list', (slot) => [...(slot as number[])]],
    ['spread as an object', (slot) => ({ ...(slot as object) })],
    ['serialized as JSON', (slot) => JSON.stringify(slot)],
    ['used through a property', (slot) => (slot as { number: number }).number + 1],
  ]

  it.each(uses)('a slot of a statement throws when it is %s', async (use, act) => {
    const store = await openSqliteStore(':memory:')
    const using = allRows(`using ${use}`, (db, slot: Slot<number>) => {
      act(slot as never)
      return db.selectFrom('organization').select('id').where('createdAt', '=', slot)
    })

    await expect(using(store.db, 1)).rejects.toThrow(/^The slot 0/)

    await store.close()
  })
})

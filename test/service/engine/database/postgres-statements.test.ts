import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import type { Database } from '../../../../src/service/engine/database/schema/schema.ts'
import { openPostgresStore } from '../../../../src/service/engine/database/postgres.ts'
import { allRows, change, changesRow, firstRow } from '../../../../src/service/engine/database/statement.ts'
import type { Slot, Slots } from '../../../../src/service/engine/database/statement.ts'
import type { Store } from '../../../../src/service/engine/database/store.ts'
import { onTransactionEnd } from '../../../../src/service/engine/database/transaction-ends.ts'
import type { Ending } from '../../../../src/service/engine/database/transaction-ends.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { openPostgres } from '../../../support/postgres.ts'
import type { Postgres } from '../../../support/postgres.ts'

const organizations = allRows('organizations in postgres-statements', (db) =>
  db.selectFrom('organization').selectAll().orderBy('id'),
)
const organizationOf = firstRow('organization in postgres-statements', (db, id: Slot<string>) =>
  db.selectFrom('organization').selectAll().where('id', '=', id),
)
const insert = change(
  'insert in postgres-statements',
  (db, row: Slots<Pick<Database['organization'], 'id' | 'name'>>) =>
    db.insertInto('organization').values({ id: row.id, name: row.name, createdAt: 1 }),
)
const rename = changesRow('rename in postgres-statements', (db, id: Slot<string>, name: Slot<string>) =>
  db.updateTable('organization').set({ name }).where('id', '=', id),
)

let postgres: Postgres
let store: Store

beforeAll(async () => {
  postgres = await openPostgres()
})
afterAll(() => postgres.stop())
beforeEach(async () => {
  store = await openPostgresStore(await postgres.createDatabase())
  return () => store.close()
})

const add = (id: string) => insert(store.db, { id, name: id })

/** What the only connection that was used so far has prepared. */
async function prepared(): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from pg_prepared_statements order by name`.execute(store.db)
  return rows.map(({ name }) => name)
}

describe('a statement on PostgreSQL', () => {
  inFullRun(
    'a declared statement is prepared once for each PostgreSQL connection, and one built by a call is not',
    async () => {
      await add('1')
      await add('2')
      await store.db.selectFrom('organization').select('id').where('id', '=', '1').execute()

      const [name = '', ...otherNames] = (await prepared()).filter((each) => each.includes('postgres-statements'))

      expect(name).toMatch(/^insert in postgres-statements [0-9a-f]{20}$/)
      expect(otherNames).toEqual([])
      expect(await prepared()).not.toContainEqual(expect.stringContaining('select'))
    },
  )

  it('a PostgreSQL statement is prepared again when a newer version has added a column to its table', async () => {
    await add('1')
    await organizations(store.db)
    await sql`alter table organization add column later text`.execute(store.db)

    const alone = await organizations(store.db)
    const together = await store.db.transaction().execute(async (db) => {
      await rename(db, '1', 'renamed')
      return organizationOf(db, '1')
    })
    await sql`alter table organization add column still_later text`.execute(store.db)
    const renamedLater = await store.db.transaction().execute((db) => organizationOf(db, '1'))

    expect(alone).toEqual([expect.objectContaining({ id: '1', name: '1' })])
    expect(together).toMatchObject({ name: 'renamed' })
    expect(renamedLater).toMatchObject({ name: 'renamed' })
  })

  it('a PostgreSQL statement is executed without a name once a pooler has lost what was prepared', async () => {
    await add('1')
    await organizations(store.db)
    await sql`deallocate all`.execute(store.db)

    expect(await organizations(store.db)).toHaveLength(1)
    await store.db.transaction().execute((db) => insert(db, { id: '2', name: '2' }))

    expect(await organizations(store.db)).toHaveLength(2)
    expect(await prepared()).toEqual([])
  })
})

describe('a transaction on PostgreSQL', () => {
  it('a PostgreSQL transaction fails with the error of a change that nobody waited for, although COMMIT succeeds', async () => {
    await add('1')
    const ends: Ending[] = []

    const transaction = store.db.transaction().execute(async (db) => {
      onTransactionEnd(db, (ending) => ends.push(ending))
      await insert(db, { id: '2', name: '2' })
      await insert(db, { id: '1', name: 'a second one' })
    })

    await expect(transaction).rejects.toMatchObject({ code: '23505', constraint: 'organization_pkey' })
    expect(ends).toEqual(['undone'])
    expect(await organizations(store.db)).toHaveLength(1)
  })

  inFullRun('a PostgreSQL transaction fails with its first error, not with what follows from it', async () => {
    await add('1')

    const transaction = store.db.transaction().execute(async (db) => {
      await insert(db, { id: '1', name: 'a second one' })
      return organizationOf(db, '1')
    })

    await expect(transaction).rejects.toMatchObject({ code: '23505' })
  })

  it('a PostgreSQL transaction that could not begin does not count as committed, although the database answers COMMIT', async () => {
    const ends: Ending[] = []

    // PostgreSQL has no such level, so BEGIN fails.
    const transaction = store.db
      .transaction()
      .setIsolationLevel('snapshot')
      .execute(async (db) => {
        onTransactionEnd(db, (ending) => ends.push(ending))
        await insert(db, { id: '1', name: '1' })
      })

    await expect(transaction).rejects.toMatchObject({ code: '42601' })
    expect(ends).toEqual(['unknown'])
  })

  inFullRun('a PostgreSQL transaction executes statements in the order in which they are sent', async () => {
    const results = await store.db.transaction().execute(async (db) => {
      const [, before, renamed, after] = await Promise.all([
        insert(db, { id: '1', name: 'first' }),
        organizationOf(db, '1'),
        rename(db, '1', 'second'),
        organizationOf(db, '1'),
      ])
      return [before?.name, renamed, after?.name]
    })

    expect(results).toEqual(['first', true, 'second'])
  })

  it('a PostgreSQL transaction executes nothing of a part that goes on after another part has failed', async () => {
    await add('1')
    const over = Promise.withResolvers<unknown>()

    const transaction = store.db.transaction().execute((db) =>
      Promise.all([
        Promise.reject(new Error('failed')),
        organizationOf(db, '1')
          .then(() => insert(db, { id: '2', name: '2' }))
          .then(over.resolve, over.resolve),
      ]),
    )

    await expect(transaction).rejects.toThrow('failed')
    expect(await over.promise).toMatchObject({
      message: expect.stringMatching(/transaction is over|rolled back/) as string,
    })
    expect(await organizations(store.db)).toHaveLength(1)
  })
})

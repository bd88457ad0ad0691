import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import Sqlite from 'better-sqlite3'
import { expect, it } from 'vitest'

import { PeopleFilter } from '../../../../src/admin-contract/people.ts'
import { compiledStatement } from '../../../../src/service/engine/database/statement.ts'
import { openSqliteStore } from '../../../../src/service/engine/database/sqlite.ts'
import '../../../../src/service/features/people/statements.ts'
import { sqliteSorts } from '../../../support/query-plans.ts'

it('a page of a list of people is read in the order of the list on SQLite, whatever the filter, and nobody is sorted', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'second-factor-orders-'))
  const store = await openSqliteStore(join(folder, 'mfa.sqlite'))
  const sqlite = new Sqlite(join(folder, 'mfa.sqlite'))
  const orders = ['added', 'name up', 'name down', 'signedIn up', 'signedIn down']
  const names = ['list', 'broad'].flatMap((kind) =>
    ['none', ...PeopleFilter.options].flatMap((filter) => orders.map((order) => `people ${kind} ${filter} ${order}`)),
  )

  const sorting = names.filter((name) => sqliteSorts(sqlite, compiledStatement(store.db, name).sql).length > 0)

  sqlite.close()
  await store.close()
  rmSync(folder, { recursive: true })
  expect(sorting).toEqual([])
})

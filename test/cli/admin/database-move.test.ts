import BetterSqlite3 from 'better-sqlite3'
import { Client } from 'pg'
import { describe, expect, it } from 'vitest'

import { notCopied } from '../../../src/service/upkeep/move-tables.ts'
import { tablesOf } from '../../support/empty-tables.ts'
import { useEngine } from '../../support/engines.ts'
import { fillTables } from '../../support/fill-tables.ts'
import { useDatabase } from './run-command.ts'

describe('second-factor database move', () => {
  const newDatabase = useEngine('PostgreSQL', { empty: true })
  const withSchema = useEngine('PostgreSQL')
  const { place, admin } = useDatabase()

  /** Works on the file itself. */
  function inFile<T>(act: (database: BetterSqlite3.Database) => T): T {
    const opened = new BetterSqlite3(place.database)
    try {
      return act(opened)
    } finally {
      opened.close()
    }
  }

  async function query(database: string, text: string): Promise<Record<string, unknown>[]> {
    const client = new Client(database)
    await client.connect()
    try {
      return (await client.query(text)).rows
    } finally {
      await client.end()
    }
  }

  it('a moved database has every row of every table, and numbers that continue', async () => {
    const to = await newDatabase()
    inFile((database) => {
      fillTables(database, Object.keys(notCopied))
      database.exec('delete from attempt where sequence = 3')
    })
    const before = inFile(contentOf)

    const { code, json, stderr } = await admin('database', 'move', '--to', to, '--json')
    const after = await contentOfPostgres(to, Object.keys(before))
    const [next] = await query(to, "insert into attempt (scope, at) values ('x', 1) returning sequence")

    expect([stderr, code]).toEqual(['', 0])
    expect(Object.entries(before).filter(([, rows]) => rows.length === 0)).toEqual([])
    expect(after).toEqual(before)
    expect(json.tables.user).toBe(before['user']?.length)
    expect(next).toEqual({ sequence: '4' })
  })

  it('a database is not moved into one that has rows, and keeps its own', async () => {
    const to = await withSchema()
    await query(to, "insert into organization (id, name, created_at) values ('other', 'Other', 1)")

    const { code, stderr } = await admin('database', 'move', '--to', to)

    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('is not empty. It has rows in organization (1). Create'),
    ])
    expect((await admin('user', 'list')).code).toBe(0)
  })

  it('a moved file opens for no command, says where the database is, and is not moved again', async () => {
    const to = await newDatabase()
    await admin('database', 'move', '--to', to)

    const list = await admin('user', 'list')
    const check = await admin('check')
    const again = await admin('database', 'move', '--to', await newDatabase())

    const { host, pathname } = new URL(to)
    for (const { code, stderr } of [list, check, again]) {
      expect([code, stderr]).toEqual([1, expect.stringContaining(`was moved to postgres://${host}${pathname} on `)])
    }
  })
})

type Content = Record<string, unknown[]>

/** Both drivers read text and numbers, some of these as text. The numbers of the search belong to SQLite alone. */
const normal = (rows: readonly object[], table: string): unknown[] =>
  rows
    .map((row) => {
      const { id, ...rest } = Object.fromEntries(Object.entries(row))
      const values = table === 'search_row' ? rest : { id, ...rest }
      return Object.keys(values)
        .toSorted()
        .map((name) => `${name}: ${values[name] === null ? 'null' : JSON.stringify(String(values[name]))}`)
        .join('\n')
    })
    .toSorted()

function contentOf(database: BetterSqlite3.Database): Content {
  const tables = tablesOf(database).filter((name) => !/^sqlite_|^kysely_migration$|^key_node$/.test(name))
  return Object.fromEntries(
    tables.map((table) => [table, normal(database.prepare<[], object>(`select * from "${table}"`).all(), table)]),
  )
}

/** Without the entry about the move itself. */
async function contentOfPostgres(address: string, tables: readonly string[]): Promise<Content> {
  const client = new Client(address)
  await client.connect()
  await client.query(`delete from audit_writer where id = (select writer from audit where event = 'database.moved')`)
  await client.query(`delete from audit where event = 'database.moved'`)
  const content: Content = {}
  for (const table of tables) content[table] = normal((await client.query(`select * from "${table}"`)).rows, table)
  await client.end()
  return content
}

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import BetterSqlite3 from 'better-sqlite3'
import { CamelCasePlugin, Kysely, sql, SqliteDialect } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import type { Database } from '../../src/service/engine/database/schema/schema.ts'
import { createDatabase } from '../cli/admin/run-command.ts'
import { openRaw } from '../service/engine/database/earlier-schema.ts'
import { useEngine } from '../support/engines.ts'
import { insertManyUsers } from '../support/many-users.ts'
import { command, serve } from './command.ts'

describe('a move in a process of its own', () => {
  const newDatabase = useEngine('PostgreSQL', { empty: true })
  let folder: string
  let database: string
  let created: Awaited<ReturnType<typeof createDatabase>>

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'second-factor-move-'))
    created = await createDatabase(folder)
    database = join(folder, 'mfa.sqlite')
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('a move that is killed leaves both databases as they were, and can be repeated', async () => {
    const to = await newDatabase()
    await addUsers(5_000)
    const keys = { MFA_KEYS: readFileSync(`${database}.keys`, 'utf8').trim(), NODE_ENV: 'production' }
    const db = openRaw('PostgreSQL', to)
    const moving = command(['database', 'move', '--database', database, '--to', to])
    await expect.poll(() => backends(db, 'insert into%')).toBe(1)

    moving.signal('SIGKILL')
    await moving
    await expect.poll(() => backends(db, '%')).toBe(0)
    const started = await command(['serve', '--database', to, '--port', '0'], keys)
    const list = await command(['domain', 'list', '--database', database])
    const again = await command(['database', 'move', '--database', database, '--to', to, '--json'])
    await db.destroy()

    expect([started.code, started.stderr]).toEqual([1, expect.stringContaining('There is no database at')])
    expect(list.code).toBe(0)
    expect([again.code, again.json.tables.user]).toEqual([0, 5_000])
  })

  it('a file that a service has open is not moved', async () => {
    const service = await serve(database)
    const { code, stderr } = await command(['database', 'move', '--database', database, '--to', await newDatabase()])
    await service.stop()

    expect([code, stderr]).toEqual([1, expect.stringContaining('is in use. Stop every service')])
  })

  async function addUsers(count: number): Promise<void> {
    const dialect = new SqliteDialect({ database: new BetterSqlite3(database) })
    const db = new Kysely<Database>({ dialect, plugins: [new CamelCasePlugin()] })
    await insertManyUsers(db, { ...created, count })
    await db.destroy()
  }
})

/** How many connections of the command execute such a statement. */
async function backends(db: ReturnType<typeof openRaw>, statement: string): Promise<number> {
  const { rows } = await sql`select 1 from pg_stat_activity where datname = current_database()
    and application_name = 'second-factor' and query like ${statement}`.execute(db)
  return rows.length
}

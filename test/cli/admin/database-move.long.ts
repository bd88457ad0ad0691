import { readFileSync, writeFileSync } from 'node:fs'

import BetterSqlite3 from 'better-sqlite3'
import { describe, expect, it } from 'vitest'

import { run, runIn, useDatabase } from './run-command.ts'
import { embedded } from '../../../src/service/index.ts'
import { openRaw, restoreSchema14 } from '../../service/engine/database/earlier-schema.ts'
import { useEngine } from '../../support/engines.ts'
import { execute } from '../../support/postgres.ts'
import { sql } from 'kysely'

describe('second-factor database move', () => {
  const newDatabase = useEngine('PostgreSQL', { empty: true })
  const { place, file, admin } = useDatabase()
  const move = (...more: readonly string[]) => admin('database', 'move', ...more)

  function change(statement: string, ...values: readonly string[]): void {
    const database = new BetterSqlite3(place.database)
    database.prepare(statement).run(values)
    database.close()
  }

  /** Whether the file can still be used. */
  const isInUse = async () => (await admin('user', 'list')).code === 0

  async function tablesAt(address: string): Promise<number> {
    const db = openRaw('PostgreSQL', address)
    const { rows } = await sql`select 1 from pg_tables where schemaname = 'public'`.execute(db)
    await db.destroy()
    return rows.length
  }

  it('a moved file is restored like a backup from the time of the move', async () => {
    await move('--to', await newDatabase())

    const restored = await run('restore', place.database, '--database', place.database, '--yes')

    expect([restored.stderr, restored.code, await isInUse()]).toEqual(['', 0, true])
    expect(restored.stdout).toContain('Invalidated')
  })

  it('an embedded service refuses a moved file, and finds its domain in PostgreSQL', async () => {
    const to = await newDatabase()
    const keys = readFileSync(`${place.database}.keys`, 'utf8').trim()
    const domainAt = async (database: string) => {
      const service = embedded({ database, keys, organization: 'Organization', domain: 'Intranet' })
      try {
        return (await service.connect({ name: 'App' })).domainId
      } finally {
        await service.close()
      }
    }
    const before = await domainAt(place.database)
    await move('--to', to)

    await expect(domainAt(place.database)).rejects.toThrow('The database was moved to postgres://')
    expect(await domainAt(to)).toBe(before)
  })

  it('a dry run copies and compares everything, and leaves both databases as they were', async () => {
    const to = await newDatabase()
    const { code, stdout } = await move('--to', to, '--dry-run')

    expect([code, stdout]).toEqual([0, expect.stringMatching(/domain +1\n[^]*Dry run +everything was undone/)])
    expect([await tablesAt(to), await isInUse()]).toEqual([0, true])
  })

  it('the target is named by a variable or a file, so that no command line contains its password', async () => {
    const { code } = await runIn(
      { MFA_TARGET_DATABASE: await newDatabase() },
      'database',
      'move',
      '--database',
      place.database,
    )

    expect([code, await isInUse()]).toEqual([0, false])
  })

  it('a move says that the audit trail was altered before, and moves it as it is', async () => {
    change("update audit set facts = '{}' where sequence = 2")

    const { code, stdout } = await move('--to', await newDatabase())

    expect([code, stdout]).toEqual([0, expect.stringContaining('altered before the move, 1 finding')])
  })

  it.each([
    ['an address that is none', ['--to', 'mfa.sqlite'], 2, '--to: expected a postgres:// URL.'],
    ['an address that cannot be read', ['--to', 'postgres://['], 2, '--to: this is no address such as'],
    [
      'a server that does not answer',
      ['--to', 'postgres://127.0.0.1:9/mfa'],
      1,
      "PostgreSQL: the server isn't responding",
    ],
  ])('a move to %s is refused', async (_, args, exitCode, message) => {
    const { code, stderr } = await move(...args)

    expect([code, stderr, await isInUse()]).toEqual([exitCode, expect.stringContaining(message), true])
  })

  it.each([
    ['does not exist', async (to: string) => `${to}x`, 'the server has no database of this name. Create it first.'],
    [
      'belongs to a user who may not create tables',
      async (to: string) => {
        // The role belongs to the server, where another run may have created it.
        await execute(to, "create role stranger login password 'stranger'").catch(() => {})
        await execute(to, 'revoke create on schema public from public')
        return Object.assign(new URL(to), { username: 'stranger', password: 'stranger' }).href
      },
      'the user may not create tables in it',
    ],
  ])('a move to a database that %s is refused', async (_, unfit, message) => {
    const { code, stderr } = await move('--to', await unfit(await newDatabase()))

    expect([code, stderr, await isInUse()]).toEqual([1, expect.stringContaining(message), true])
  })

  it('a file of an earlier schema is refused, with what to do', async () => {
    const earlier = file('earlier.sqlite')
    await restoreSchema14('SQLite', earlier)
    writeFileSync(`${earlier}.keys`, readFileSync(`${place.database}.keys`))
    const { code, stderr } = await run('database', 'move', '--database', earlier, '--to', await newDatabase())

    expect([code, stderr]).toEqual([1, expect.stringMatching(/has the schema of an earlier version \(14 of \d+ migr/)])
    expect(stderr).toContain(`second-factor domain list --database ${earlier}`)
  })

  it('a file whose keys are others is refused', async () => {
    const to = await newDatabase()
    const keys = { MFA_KEYS: `k1:${Buffer.alloc(32, 9).toString('base64')}` }
    const { code, stderr } = await runIn(keys, 'database', 'move', '--database', place.database, '--to', to)

    expect([code, stderr]).toEqual([1, expect.stringContaining('sealed with a different key that is also called "k1"')])
    expect([await tablesAt(to), await isInUse()]).toEqual([0, true])
  })

  it('a row that PostgreSQL cannot store is named by its table, and nothing is moved', async () => {
    const to = await newDatabase()
    change('update organization set name = ?', 'zero \0 byte')

    const { code, stderr } = await move('--to', to)

    expect([code, stderr]).toEqual([1, expect.stringContaining('rejects a row of the table organization (SQLSTATE 22')])
    expect([await tablesAt(to), await isInUse()]).toEqual([0, true])
  })

  it('a file with tables of another app only is refused', async () => {
    const other = new BetterSqlite3(file('other.sqlite'))
    other.exec('create table t (a)')
    other.close()
    const { stderr } = await runIn(
      { MFA_KEYS: `k1:${Buffer.alloc(32, 9).toString('base64')}` },
      'database',
      'move',
      '--database',
      file('other.sqlite'),
      '--to',
      await newDatabase(),
    )

    expect(stderr).toContain('is not a database of second-factor. Choose another file.')
  })
})

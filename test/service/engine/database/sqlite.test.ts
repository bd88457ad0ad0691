import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import BetterSqlite3 from 'better-sqlite3'
import { sql } from 'kysely'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { insertOrganization } from '../../../../src/service/features/domains/organization-statements.ts'
import { openSqliteStore } from '../../../../src/service/engine/database/sqlite.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { createSchemaOf } from '../../../support/schema-file.ts'
import { describeCodeStore } from './code-store.spec.ts'
import { describeStore } from './store.spec.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'second-factor-store-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** One is created by those who open it, at once; the others have the present schema already. */
async function open(name: string) {
  const file = join(folder, `${name}.sqlite`)
  if (name !== 'fresh') await createSchemaOf(file)
  return openSqliteStore(file)
}

describeStore('SQLite', open)
describeCodeStore('SQLite', open)

const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8)
const organization = { id: '0'.repeat(40), name: 'O', createdAt: 1 }

describe('a SQLite file', () => {
  inFullRun('a SQLite file is readable only by its owner, like its folder and the files next to it', async () => {
    const file = join(folder, 'data', 'mfa.sqlite')
    const store = await openSqliteStore(file)
    await insertOrganization(store.db, organization)

    const modes = [join(folder, 'data'), file, `${file}-wal`, `${file}-shm`].map(modeOf)
    await store.close()

    expect(modes).toEqual(['700', '600', '600', '600'])
  })

  inFullRun('a SQLite file survives a crash of the machine, because changes are in a synchronized log', async () => {
    const file = join(folder, 'mfa.sqlite')
    const store = await openSqliteStore(file)
    const { rows } = await store.db
      .transaction()
      .execute((db) => sql<{ synchronous: number }>`PRAGMA synchronous`.execute(db))
    await store.close()

    const reader = new BetterSqlite3(file, { readonly: true })
    const mode = reader.pragma('journal_mode', { simple: true })
    reader.close()

    expect([rows[0]?.synchronous, mode]).toEqual([2, 'wal'])
  })

  inFullRun(
    'a SQLite file makes changes wait while another process writes, without blocking anything else',
    async () => {
      const file = join(folder, 'mfa.sqlite')
      const store = await openSqliteStore(file)
      const other = new BetterSqlite3(file)
      other.exec('BEGIN IMMEDIATE')

      const writing = insertOrganization(store.db, organization)
      let turns = 0
      while (turns < 50) {
        await new Promise((resolve) => void setImmediate(resolve))
        turns += 1
      }
      other.exec('COMMIT')
      other.close()

      expect(await writing).toBe(true)
      await store.close()
    },
  )

  it('a file that is not a SQLite database is rejected, and not changed', async () => {
    const file = join(folder, 'letter.txt')
    writeFileSync(file, 'Dear Sir or Madam, this is no database.')

    await expect(openSqliteStore(file)).rejects.toThrow('not a database')
    expect(statSync(file).size).toBe(39)
  })
})

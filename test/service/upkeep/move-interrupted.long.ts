import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { systemRandom } from '../../../src/service/engine/base/random.ts'
import { OutcomeUnknownError } from '../../../src/service/engine/base/store-errors.ts'
import type { Queryable } from '../../../src/service/engine/database/schema/schema.ts'
import { openSqliteStore } from '../../../src/service/engine/database/sqlite.ts'
import { readKeyFile } from '../../../src/service/engine/secrets/key-file.ts'
import { inPostgresTransaction } from '../../../src/service/open-core.ts'
import { moveDatabase } from '../../../src/service/upkeep/move.ts'
import { createTestClock } from '../../../src/testing/clock.ts'
import { createDatabase } from '../../cli/admin/run-command.ts'
import { useEngine } from '../../support/engines.ts'

type Work = <T>(work: (db: Queryable) => Promise<T>) => Promise<T>

describe('a move whose end is not reported', () => {
  const newDatabase = useEngine('PostgreSQL', { empty: true })
  let folder: string
  let file: string

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'second-factor-move-'))
    await createDatabase(folder)
    file = join(folder, 'mfa.sqlite')
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const move = async (place: string, transaction: Work) =>
    moveDatabase(
      file,
      { place, transaction },
      {
        ring: await readKeyFile(`${file}.keys`),
        dryRun: false,
        progress: () => {},
        clock: createTestClock(),
        random: systemRandom,
        actor: { kind: 'cli', id: 'test' },
      },
    )

  const lost = () => new OutcomeUnknownError('The database has not answered.')

  it.each([
    ['was stored', false],
    ['was not stored', true],
  ])(
    'a copy that %s without an answer is completed by the next move, and until then nothing opens the file',
    async (_, isUndone) => {
      const to = await newDatabase()
      const silent: Work = (work) =>
        inPostgresTransaction(to, async (db) => {
          const result = await work(db)
          if (isUndone) throw lost()
          return result
        }).then(() => {
          throw lost()
        })

      await expect(move('here', silent)).rejects.toThrow('Run the same command again')
      await expect(openSqliteStore(file)).rejects.toThrow('was interrupted')
      await expect(move('elsewhere', (work) => inPostgresTransaction(to, work))).rejects.toThrow(
        'to here was interrupted',
      )
      const { tables } = await move('here', (work) => inPostgresTransaction(to, work))

      expect(tables !== undefined).toBe(isUndone)
      await expect(openSqliteStore(file)).rejects.toThrow('was moved to here on')
    },
  )

  it('a file can be used again when PostgreSQL has rejected the end of its move', async () => {
    const to = await newDatabase()
    const rejecting: Work = (work) =>
      inPostgresTransaction(to, async (db) => {
        await work(db)
        throw new Error('rejected')
      })

    await expect(move('here', rejecting)).rejects.toThrow('rejected')

    await (await openSqliteStore(file)).close()
  })
})

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, it, onTestFinished } from 'vitest'

import { seedDatabase } from '../../scripts/seed/seed.ts'
import { verifyAudit } from '../../src/service/engine/audit/read.ts'
import { ServiceOptions } from '../../src/service/options.ts'
import { openService } from '../../src/service/service.ts'
import { inFullRun } from '../support/full-run.ts'

describe('the database that the console is tried with', () => {
  async function seeded() {
    const folder = await mkdtemp(join(tmpdir(), 'seed-'))
    const database = join(folder, 'mfa.sqlite')
    await seedDatabase({ database, people: 60 })
    const service = await openService(ServiceOptions.parse({ database }))
    onTestFinished(async () => {
      await service.close()
      await rm(folder, { recursive: true })
    })
    return service.ctx
  }

  it('the seeded database for trying the console has the same people in each run', async () => {
    const [first, second] = [await seeded(), await seeded()]
    const people = ({ store: { db } }: typeof first) =>
      db.selectFrom('user').select(['id', 'username', 'name', 'email', 'everEnrolled']).orderBy('sequence').execute()

    expect(await people(first)).toHaveLength(60)
    expect(await people(first)).toEqual(await people(second))
  })

  inFullRun('the seeded database for trying the console has an audit trail that can be verified', async () => {
    const ctx = await seeded()

    expect((await verifyAudit(ctx.store.db, [])).findings).toEqual([])
  })
})

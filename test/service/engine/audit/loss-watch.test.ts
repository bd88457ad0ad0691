import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { verifyAudit } from '../../../../src/service/engine/audit/read.ts'
import type { OpenedService } from '../../../../src/service/service.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import { keysFor } from '../../start-service.ts'
import { loseEntries } from './lost-entries.ts'
import { entriesOf, openDatabase } from './recorded.ts'
import { inFullRun } from '../../../support/full-run.ts'

describe.each(mainEngines)('a process whose %s database may have lost changes', (engine) => {
  const newDatabase = useEngine(engine)
  let node: OpenedService

  beforeEach(async () => {
    const database = await newDatabase()
    node = await openDatabase(database, keysFor(database))
  })
  afterEach(() => node.close())

  it.each([
    { lost: 1, through: 1 },
    { lost: 2, through: 0 },
  ])(
    'a process notices that the database lost its last $lost entries, and records how many',
    async ({ lost, through }) => {
      const { watch, writer } = await loseEntries(node.ctx, lost)

      const entries = await entriesOf(node.ctx.store.db)
      const noticed = entries.filter(({ event }) => event === 'database.loss_noticed')
      expect(noticed.map(({ facts }) => facts)).toEqual([{ chain: writer, through, count: lost }])
      expect(watch.notice()).toContain('second-factor restored')
    },
  )

  inFullRun('a process that finds all of its entries notices nothing, and continues its chain', async () => {
    const { watch, trail, write } = await loseEntries(node.ctx, 0)

    await write()

    expect(watch.notice()).toBeUndefined()
    expect(trail.heads().map(({ sequence }) => sequence)).toEqual([3])
  })

  it('a process never continues a chain whose last entry was lost, so that the trail has no gap after it', async () => {
    const { write } = await loseEntries(node.ctx, 1)

    await write()

    expect((await verifyAudit(node.ctx.store.db, [])).findings).toEqual([])
  })

  it('a process does not continue a chain that a transaction had when its loss was noticed', async () => {
    const { trail, writer, write } = await loseEntries(node.ctx, 0)
    const { db } = node.ctx.store
    const event = {
      event: 'organization.created',
      organizationId: null,
      facts: {},
      actor: node.ctx.actor,
      address: null,
    } as const

    const undone = db.transaction().execute(async (tx) => {
      await trail.append(tx, [event])
      trail.suspend()
      trail.resume(writer, false)
      throw new Error('undone')
    })
    await expect(undone).rejects.toThrow('undone')
    await write()

    expect(trail.heads().map((head) => head.writer)).not.toContain(writer)
  })
})

import { once } from 'node:events'

import { describe, expect, it } from 'vitest'

import { systemClock } from '../../../../src/ground/clock.ts'
import { verifyAudit } from '../../../../src/service/engine/audit/read.ts'
import { useSharedFile } from '../database/other-process.ts'
import { createCall, newUser, startService } from '../../start-service.ts'
import { entriesOf, openDatabase } from './recorded.ts'

const { database, startOther } = useSharedFile()

describe('two processes on one SQLite file', () => {
  it('two processes on one SQLite file write separate chains without gaps or forks, when 64 changes come at once', async () => {
    const here = await startService({ database: database(), clock: systemClock })
    const { child, origin } = await startOther()
    const calls = [here.call, createCall(origin, here.apiKey)]

    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, index) => calls[index % 2]!('POST', '/users', { body: newUser(`u${index}`) })),
    )
    // Killed, not closed: its commits are complete.
    child.kill('SIGKILL')
    await once(child, 'exit')
    await here.close()
    const node = await openDatabase(database())
    const created = (await entriesOf(node.ctx.store.db)).filter(({ event }) => event === 'user.created')
    const { findings } = await verifyAudit(node.ctx.store.db, [])
    await node.close()

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(created.map(({ facts }) => facts.user)).size).toBe(64)
    expect(new Set(created.map(({ writer }) => writer)).size).toBeGreaterThan(1)
    expect(findings).toEqual([])
  })
})

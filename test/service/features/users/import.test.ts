import { describe, expect, it, onTestFinished } from 'vitest'

import { importUsers } from '../../../../src/service/features/users/import.ts'
import { claim } from '../../../../src/service/features/users/synchronization-claim.ts'
import { stage } from '../../../../src/service/features/users/synchronization-stage.ts'
import { ServiceOptions } from '../../../../src/service/options.ts'
import { openService } from '../../../../src/service/service.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { keysFor, startService } from '../../start-service.ts'

const rows = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    line: index + 1,
    user: { username: `person ${index}`, name: 'Person', email: 'person@example.com' },
  }))

describe.each(mainEngines)('an import of users, on %s', (engine) => {
  const newDatabase = useEngine(engine)

  async function open() {
    const database = await newDatabase()
    const running = await startService({ database })
    const node = await openService(ServiceOptions.parse({ database, push: false, ...keysFor(database) }))
    onTestFinished(async () => {
      await node.close()
      await running.close()
    })
    const { organization, domain, call } = running
    const names = async () =>
      (await call('GET', `/domains/${domain.id}/users`)).json.map(({ username }: { username: string }) => username)
    return { ctx: node.ctx, target: { organizationId: organization.id, domainId: domain.id }, call, names }
  }

  it('an import of users leaves nothing behind when it fails midway', async () => {
    const { ctx, target, call, names } = await open()
    const progress = (done: number, total: number) => {
      if (done > total / 2) throw new Error('the power is gone')
    }

    const importing = importUsers(ctx, target, [rows(1_200)], { progress })

    await expect(importing).rejects.toThrow('the power is gone')
    expect(await names()).toEqual([])
    expect((await call('GET', '/users?username=person%200')).status).toBe(404)
    expect((await importUsers(ctx, target, [rows(2)])).imported).toBe(2)
  })

  inFullRun('an import of users takes no user for present whom an interrupted import has only staged', async () => {
    const { ctx, target, names } = await open()
    const claimed = await claim(ctx, target, () => Promise.reject(new Error('nothing was abandoned')))
    await stage(ctx, claimed, {
      rows: ['person 0', 'person 1'].map((username) => ({ username, name: 'Misspelled', email: undefined })),
    })
    // Long after its last step, it counts as dead.
    await ctx.store.db.updateTable('synchronization').set({ beatAt: 0 }).execute()

    const report = await importUsers(ctx, target, [rows(2)])

    expect(report).toMatchObject({ imported: 2, present: 0, rejected: [] })
    expect(await names()).toEqual(['person 0', 'person 1'])
  })

  inFullRun('an import of users records its counts in the audit trail', async () => {
    const { ctx, target } = await open()

    await importUsers(ctx, target, [rows(3)])

    const entry = await ctx.store.db
      .selectFrom('audit')
      .select('facts')
      .where('event', '=', 'membership.synchronized')
      .executeTakeFirstOrThrow()
    expect(JSON.parse(entry.facts)).toMatchObject({ domain: target.domainId, added: 3, changed: 0, removed: 0 })
  })
})

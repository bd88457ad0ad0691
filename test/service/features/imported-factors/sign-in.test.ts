import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { codeAt, stepAt } from '../../../../src/service/features/codes/totp.ts'
import { resetUser } from '../../../../src/service/features/people/reset.ts'
import type { OpenedService } from '../../../../src/service/service.ts'
import { settleRestored } from '../../../../src/service/upkeep/restored.ts'
import { engines, useEngine } from '../../../support/engines.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { openDatabase } from '../../engine/audit/recorded.ts'
import { keysFor, startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'
import { member } from '../codes/code-holder.ts'

describe.each(engines)('a sign-in that imports factors, on %s', (engine) => {
  const createDatabase = useEngine(engine)
  let running: Running
  let node: OpenedService

  beforeEach(async () => {
    const database = await createDatabase()
    running = await startService({ database }, { bypassEnabled: true })
    node = await openDatabase(database, { clock: running.clock, ...keysFor(database) })
  })
  afterEach(async () => {
    await node.close()
    await running.close()
  })

  async function mover() {
    const person = await member(running)
    const app = { seed: '0b'.repeat(20), algorithm: 'SHA1', digits: 6, period: 30 } as const
    const code = (steps = 0) => codeAt(app, stepAt(running.clock.now(), 30) + steps)
    const factors = { app, recovery: ['QX7P-Z4M2'] }
    const path = `/domains/${running.domain.id}/sessions/import`
    const bring = (otp: string) => running.call('POST', path, { body: { user: { id: person.id }, otp, factors } })
    const reset = () => resetUser(node.ctx, { organizationId: running.organization.id, userId: person.id })
    return { ...person, code, bring, reset }
  }

  it('a sign-in that imports factors stores them once, however many come at once', async () => {
    const { bring, code, id } = await mover()

    const answers = await Promise.all([code(), code(), 'QX7P-Z4M2'].map(bring))

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    const stored = await node.ctx.store.db.selectFrom('hardwareToken').select('id').where('userId', '=', id).execute()
    expect(stored).toHaveLength(1)
    const approved = answers.filter(({ json }) => json.state === 'approved').map(({ json }) => json.factor)
    expect(new Set(approved).size).toBe(approved.length)
    expect(approved).toContain('bypass')
  })

  inFullRun(
    'a sign-in that imports factors is in the audit trail, with how many recovery codes came along',
    async () => {
      const { bring, code, id } = await mover()
      const { json } = await bring(code())

      const rows = await node.ctx.store.db.selectFrom('audit').selectAll().execute()

      const entries = rows.map((row) => JSON.stringify(row)).filter((row) => row.includes(id))
      expect(entries.filter((entry) => /factors\.imported/.test(entry) && entry.includes(json.factorId))).toHaveLength(
        1,
      )
      expect(entries.join()).not.toContain('0b0b0b')
    },
  )

  it('nothing is imported after a reset: a stolen phone would come back with its seed', async () => {
    const { bring, code, reset, show } = await mover()
    await bring(code())
    await reset()

    const { status, json } = await bring(code(1))

    expect([status, json.errors[0].code]).toEqual([409, 'api.error.conflict.state'])
    expect(await show()).toMatchObject({ everEnrolled: false, importState: 'closed', factors: [] })
  })

  it('nothing is imported after a restore, because a reset may have been lost', async () => {
    const { bring, code, show } = await mover()
    await settleRestored(node.ctx, [])

    const { status, json } = await bring(code())

    expect([status, json.errors[0].code]).toEqual([409, 'api.error.conflict.state'])
    expect(await show()).toMatchObject({ everEnrolled: false, importState: 'restored', factors: [] })
  })
})

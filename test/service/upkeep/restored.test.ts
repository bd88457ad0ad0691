import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { endAllAccess } from '../../../src/service/upkeep/restored-statements.ts'
import { mainEngines, useEngine } from '../../support/engines.ts'
import { startConsole } from '../features/administrators/console-holder.ts'
import type { Console } from '../features/administrators/console-holder.ts'
import { holder } from '../features/codes/code-holder.ts'

describe.each(mainEngines)('a code that was used between a backup and its restore on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let running: Console

  beforeAll(async () => {
    running = await startConsole(await newDatabase())
  })
  afterAll(() => running.close())

  it.each([
    [30, 0],
    [30, 9],
    [60, 15],
    [15, 9],
    [45, 0],
    [120, 15],
  ])(
    'a code used between a backup and its restore is not accepted again from a token of %i s, %i steps ahead',
    async (period, stepsAhead) => {
      const { db } = running.ctx.store
      const { token, signIn } = await holder(running, { algorithm: 'SHA1', digits: 6, period })
      const asInBackup = { lastStep: -1, drift: stepsAhead }
      const restore = () => db.updateTable('codeGenerator').set(asInBackup).where('id', '=', token.id).execute()
      await restore()
      const used = { otp: token.code(stepsAhead) }
      const before = await signIn(used)

      await restore()
      await db.transaction().execute((tx) => endAllAccess(tx, running.clock.now()))
      const after = await signIn(used)

      expect([before.state, after.state]).toEqual(['approved', 'denied'])
    },
  )

  it('a restore uses up the steps of every period up to ten ahead, in which codes are accepted or resynchronize a token', async () => {
    const { db } = running.ctx.store
    const periods = Array.from({ length: 106 }, (_, index) => 15 + index)
    const now = running.clock.now()
    const row = { seed: 's', algorithm: 'SHA1', digits: 6, lastStep: -1, syncState: 'Never Used' } as const
    const drifts = [-20, 0, 20]
    await db
      .insertInto('codeGenerator')
      .values(drifts.flatMap((drift) => periods.map((period) => ({ ...row, id: `${period}/${drift}`, period, drift }))))
      .execute()

    await db.transaction().execute((tx) => endAllAccess(tx, now))

    const rows = await db.selectFrom('codeGenerator').selectAll().where('seed', '=', 's').execute()
    await db.deleteFrom('codeGenerator').where('seed', '=', 's').execute()
    const unused = rows.filter(({ period, drift, lastStep }) => lastStep < Math.floor(now / period) + drift + 10)
    expect([rows.length, unused]).toEqual([318, []])
  })
})

import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { countSignIns } from '../../../../src/service/features/sessions/count-sign-ins.ts'
import { sweep } from '../../../../src/service/upkeep/sweep.ts'
import type { OpenedService } from '../../../../src/service/service.ts'
import { lastSignInsOf } from '../../../../src/service/features/sessions/last-sign-ins.ts'
import { signInDaysOf } from '../../../../src/service/features/sessions/sign-in-days.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { openDatabase } from '../../engine/audit/recorded.ts'
import { bypassCodeOf, member } from '../codes/code-holder.ts'
import { activateDevice, keysFor, startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

const secondsOfADay = 86_400

describe.each(mainEngines)('the sign-ins of each day on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let running: Running
  let node: OpenedService
  let other: OpenedService

  beforeEach(async () => {
    const database = await newDatabase()
    running = await startService({ database })
    // Noon, so that no test passes midnight whenever it runs.
    running.clock.skip(1.5 * secondsOfADay - (running.clock.now() % secondsOfADay))
    const more = { clock: running.clock, ...keysFor(database) }
    ;[node, other] = [await openDatabase(database, more), await openDatabase(database, more)]
  })
  afterEach(() => Promise.all([node, other, running].map((resource) => resource.close())))

  const database = () => node.ctx.store.db
  const today = () => Math.floor(running.clock.now() / secondsOfADay)
  const counts = async (domainIds: readonly string[] = [running.domain.id], from = 0) => {
    const rows = await signInDaysOf(node.ctx.store.db, domainIds, from)
    return rows
      .map(({ day, outcome, factor, count }) => `${day - today()} ${outcome} ${factor} ${count}`)
      .sort((a, b) => (a < b ? -1 : 1))
  }

  async function passBy(bypasscodes: number) {
    const person = await member(running)
    for (let index = 0; index < bypasscodes; index++) {
      await person.signIn({ bypasscode: (await bypassCodeOf(running, person.id)).code })
    }
    return person
  }

  it('sign-ins are counted once, even when several nodes count at the same time, and again later', async () => {
    await passBy(4)

    await Promise.all([node, other, node, other].map(({ ctx }) => countSignIns(ctx)))
    await passBy(3)
    await Promise.all([node, other].map(({ ctx }) => countSignIns(ctx)))
    await countSignIns(node.ctx)

    expect(await counts()).toEqual(['0 approved bypass 7'])
  })

  inFullRun('the sign-ins of a deleted user are forgotten, and not recorded again', async () => {
    const [counted, uncounted] = [await passBy(1), await passBy(1)]
    await running.call('DELETE', `/users/${uncounted.id}`)
    await countSignIns(node.ctx)
    const before = await lastSignInsOf(database(), [counted.id, uncounted.id])
    await running.call('DELETE', `/users/${counted.id}`)

    expect([...before.keys()]).toEqual([counted.id])
    expect(await lastSignInsOf(database(), [counted.id])).toEqual(new Map())
  })

  inFullRun('the sign-ins of each day are counted by outcome and factor', async () => {
    const person = await passBy(2)
    await person.signIn({ bypasscode: '000000000' })
    const { json: token } = await running.call('PUT', `${person.memberPath}/token`)
    const { device, pending } = await activateDevice(running.origin, running.clock, token.code)
    for (const decision of ['approve', 'deny', 'report'] as const) {
      await person.signIn({})
      const [request] = await pending()
      await device.answer(request!.id, { nonce: request!.nonce, decision })
    }

    await countSignIns(node.ctx)

    expect(await counts()).toEqual([
      '0 approved bypass 2',
      '0 approved push 1',
      '0 denied  1',
      '0 denied bypass 1',
      '0 reported  1',
    ])
  })

  inFullRun('the sign-ins of each day include requests that have expired', async () => {
    const person = await member(running)
    const { json: token } = await running.call('PUT', `${person.memberPath}/token`)
    await activateDevice(running.origin, running.clock, token.code)
    await person.signIn({})
    await running.clock.advance(600)
    await sweep(node.ctx)

    await countSignIns(node.ctx)

    expect(await counts()).toEqual(['0 expired  1'])
  })

  inFullRun('sign-ins belong to the day on which they ended, in UTC', async () => {
    await passBy(1)
    running.clock.skip(secondsOfADay)
    await passBy(2)

    await countSignIns(node.ctx)

    expect(await counts()).toEqual(['-1 approved bypass 1', '0 approved bypass 2'])
    expect(await counts([running.domain.id], today())).toEqual(['0 approved bypass 2'])
  })

  inFullRun(
    'counting sign-ins records when each user last signed in, and nothing about users who did not',
    async () => {
      const person = await passBy(1)
      running.clock.skip(40)
      await person.signIn({ bypasscode: (await bypassCodeOf(running, person.id)).code })
      const at = running.clock.now()
      running.clock.skip(40)
      await person.signIn({ bypasscode: '000000000' })
      const someoneElse = await passBy(0)

      await countSignIns(node.ctx)

      expect([...(await lastSignInsOf(database(), [person.id, someoneElse.id]))]).toEqual([[person.id, at]])
    },
  )

  inFullRun('the sign-ins of each day are counted for each domain', async () => {
    await passBy(1)

    await countSignIns(node.ctx)

    expect(await counts(['0'.repeat(40)])).toEqual([])
  })
})

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { devicePaths } from '../../../../src/contract/device.ts'
import { createService } from '../../../../src/service/index.ts'
import type { Service } from '../../../../src/service/index.ts'
import { listen } from '../../../../src/service/engine/http/listen.ts'
import type { Listening } from '../../../../src/service/engine/http/listen.ts'
import { tryCode } from '../../../../src/service/features/devices/tries.ts'
import type { OpenedService } from '../../../../src/service/service.ts'
import { createDeviceCalls, previewCode } from '../../../support/device-signer.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { entriesOf, openDatabase } from '../../engine/audit/recorded.ts'
import { keysFor, read, startService, withoutOverload } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'
import { invited, outcome } from './people.ts'

const wrong = 'aaaaaaaaaa'
const limits = {
  ...withoutOverload,
  triesPerAddress: 3,
  triesPerService: 12,
  triesAlert: 8,
  requestsPerSecond: 1_000_000,
}

describe.each(mainEngines)('activation codes on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let running: Running
  let second: Service
  let door: Listening
  let node: OpenedService
  /** Log lines of both nodes. */
  const logged: { details: object; message: string }[] = []

  beforeAll(async () => {
    const database = await newDatabase()
    const log = (details: object, message: string) => void logged.push({ details, message })
    const logger = { info: log, warn: log, error: log }
    const metrics = { token: 'token-of-16-or-more' }
    running = await startService({ database, limits, logger, metrics })
    const { clock } = running
    second = await createService({ database, clock, limits, logger, ...keysFor(database) })
    door = await listen(second.listener, { host: '127.0.0.1', port: 0 })
    node = await openDatabase(database, { clock, ...keysFor(database) })
  })
  afterAll(async () => {
    await door.close()
    await Promise.all([running.close(), second.close(), node.close()])
  })
  beforeEach(() => {
    running.clock.skip(62 * 60)
    logged.length = 0
  })

  const guess = (headers: Record<string, string> = {}) => previewCode(running.origin, wrong, headers)
  const guesses = async (times: number) => {
    const statuses: number[] = []
    for (let round = 0; round < times; round += 1) statuses.push((await guess()).status)
    return statuses
  }

  it('activation codes are never checked beyond the budget, however many arrive at once at two nodes', async () => {
    const nodes = [running.origin, `http://127.0.0.1:${door.port}`]

    const answers = await Promise.all(Array.from({ length: 48 }, (_, i) => previewCode(nodes[i % 2]!, wrong)))

    const statuses = answers.map(({ status }) => status)
    expect([statuses.filter((status) => status === 404).length, new Set(statuses)]).toEqual([3, new Set([404, 429])])
  })

  inFullRun('right activation codes release their tries, however many arrive at once', async () => {
    const people = [await invited(running), await invited(running), await invited(running)]

    const answers = await Promise.all(people.map(({ code }) => previewCode(running.origin, code)))

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(await guesses(4)).toEqual([404, 404, 404, 429])
  })

  it('activation codes are counted for the whole service, which refuses all after too many wrong ones', async () => {
    const statuses: number[] = []
    for (let round = 0; round < 5; round += 1) {
      statuses.push(...(await guesses(3)))
      running.clock.skip(600)
    }

    const { code } = await invited(running)
    const right = await read(await previewCode(running.origin, code))

    expect(statuses).toEqual([...Array.from({ length: 12 }, () => 404), 429, 429, 429])
    expect([right.status, right.headers.get('retry-after')]).toEqual([429, expect.stringMatching(/^\d{3}$/)])
  })

  it('activation codes count only when they are wrong: any number of phones can enroll from one address', async () => {
    const statuses: number[] = []
    for (let phone = 0; phone < 5; phone += 1) {
      const { code, newDevice } = await invited(running)
      const { activate } = await newDevice()
      statuses.push((await activate(code)).status)
    }

    expect(statuses).toEqual([200, 200, 200, 200, 200])
    expect(await guesses(4)).toEqual([404, 404, 404, 429])
  })

  it('an address that used up its wrong activation codes is refused for ten minutes, even with right ones', async () => {
    const { code } = await invited(running)
    await guesses(3)

    const refused = await read(await previewCode(running.origin, code))
    running.clock.skip(599)
    const early = await read(await previewCode(running.origin, code))
    await running.clock.advance(1)
    const later = await previewCode(running.origin, code)

    expect([refused.status, refused.code, refused.headers.get('retry-after')]).toEqual([
      429,
      'api.error.toomanyrequests',
      '600',
    ])
    expect([early.status, early.headers.get('retry-after'), later.status]).toEqual([429, '1', 200])
  })

  it('activation codes are looked up only after a try is reserved', async () => {
    const { db } = node.ctx.store
    const counts: number[] = []
    const find = async () => {
      const rows = await db.selectFrom('tally').select('count').where('scope', '=', 'code 192.0.2.7').execute()
      counts.push(...rows.map(({ count }) => count))
      return undefined
    }

    const trying = tryCode(node.ctx, '192.0.2.7', find)

    await expect(trying).rejects.toMatchObject({ code: 'api.error.notfound.activationcode' })
    expect(counts).toEqual([1])
  })

  it('activation codes count in an activation as in a preview', async () => {
    const { newDevice } = await invited(running)
    const { signer } = await newDevice()
    const { activate } = createDeviceCalls(running.origin, signer)
    const statuses: number[] = []
    for (let round = 0; round < 4; round += 1) statuses.push((await activate(wrong)).status)

    expect(statuses).toEqual([404, 404, 404, 429])
  })

  it('activation codes count in the claim of a device move as in a preview', async () => {
    const { newDevice } = await invited(running)
    const { signer } = await newDevice()
    const { call } = createDeviceCalls(running.origin, signer)
    const claim = { code: 'A'.repeat(22), name: 'New', key: signer.publicKey }
    const statuses: number[] = []
    for (let round = 0; round < 4; round += 1) statuses.push((await call(devicePaths.claimMove, claim)).status)

    expect(statuses).toEqual([404, 404, 404, 429])
  })

  it('activation codes do not count when the service fails', async () => {
    const { db } = node.ctx.store
    await db.schema.alterTable('device').renameTo('device_elsewhere').execute()
    await db.schema.alterTable('token').renameTo('token_elsewhere').execute()
    const broken = await guesses(4)
    await db.schema.alterTable('token_elsewhere').renameTo('token').execute()
    await db.schema.alterTable('device_elsewhere').renameTo('device').execute()

    expect([...broken, ...(await guesses(4))]).toEqual([500, 500, 500, 500, 404, 404, 404, 429])
  })

  it('the service warns its operator once an hour when many activation codes are wrong, and when it refuses all', async () => {
    const before = (await entriesOf(node.ctx.store.db)).length
    for (let round = 0; round < 5; round += 1) {
      await guesses(3)
      await previewCode(`http://127.0.0.1:${door.port}`, wrong)
      running.clock.skip(600)
    }

    const alertEntries = (await entriesOf(node.ctx.store.db))
      .slice(before)
      .filter(({ event }) => /many|suspend/.test(event))
    const metrics = await fetch(`${running.origin}/metrics`, {
      headers: { authorization: 'Bearer token-of-16-or-more' },
    })
    expect(alertEntries.map(({ event, facts }) => [event, facts])).toEqual([
      ['activation.many_failed', { failures: 8 }],
      ['activation.suspended', { failures: 12 }],
    ])
    expect(logged.filter(({ message }) => message.includes('activation codes')).map(({ details }) => details)).toEqual([
      { event: 'activation.many_failed', failures: 8, requestId: expect.any(String) },
      { event: 'activation.suspended', failures: 12, requestId: expect.any(String) },
    ])
    const figures = await metrics.text()
    expect(figures).toMatch(/second_factor_alerts_total\{alert="activation.many_failed"\} [1-9]/)
    expect(figures).toMatch(/second_factor_alerts_total\{alert="activation.suspended"\} [1-9]/)
    expect(figures).toMatch(/second_factor_activation_codes_total\{outcome="wrong"\} [1-9]/)
  })

  inFullRun('right activation codes never cause a warning', async () => {
    for (let phone = 0; phone < 10; phone += 1) {
      const { code } = await invited(running)
      await previewCode(running.origin, code)
    }

    expect(logged).toEqual([])
  })

  it('activation codes are not counted for the address that a header claims', async () => {
    const statuses: number[] = []
    for (let round = 0; round < 4; round += 1) {
      statuses.push((await guess({ 'x-forwarded-for': `192.0.2.${round}` })).status)
    }

    expect(statuses).toEqual([404, 404, 404, 429])
  })

  it('another web site cannot use up the tries of activation codes', async () => {
    const responses = await Promise.all(
      Array.from({ length: 5 }, async () => outcome(await guess({ 'sec-fetch-site': 'cross-site' }))),
    )

    expect(new Set(responses.map((response) => response.join()))).toEqual(new Set(['403,api.error.forbidden']))
    expect((await guess({ 'sec-fetch-site': 'same-origin' })).status).toBe(404)
  })
})

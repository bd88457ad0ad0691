import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { listen } from '../../src/service/engine/http/listen.ts'
import { createService } from '../../src/service/index.ts'
import { createTestClock } from '../../src/testing/clock.ts'
import { deviceById } from '../../src/service/features/devices/statements.ts'
import { openDatabase } from '../service/engine/audit/recorded.ts'
import { unique } from '../service/features/codes/code-holder.ts'
import { keysFor, read, startService, wideLimits } from '../service/start-service.ts'
import type { Running } from '../service/start-service.ts'
import { createDeviceCalls, random128 } from '../support/device-signer.ts'
import { engines, useEngine } from '../support/engines.ts'
import { inFullRun } from '../support/full-run.ts'

const pin = '4071'

/** The attacker has an unlocked phone, or a copy of its key, but does not know the PIN. */
describe.each(engines)('an attacker with a device but not its PIN, on two nodes of %s,', (engine) => {
  const newDatabase = useEngine(engine)
  let database: string
  let running: Running
  let secondNode: { origin: string; close: () => Promise<void> }

  beforeAll(async () => {
    database = await newDatabase()
    running = await startService({ database }, { keyType: 'PIN', maxAllowedRetries: 5 })
    const service = await createService({ database, clock: running.clock, limits: wideLimits, ...keysFor(database) })
    const listening = await listen(service.listener, { host: '127.0.0.1', port: 0 })
    secondNode = {
      origin: `http://127.0.0.1:${listening.port}`,
      close: async () => void (await Promise.all([listening.close(), service.close()])),
    }
  })
  afterAll(async () => {
    await secondNode.close()
    await running.close()
  })

  /** A user, and functions that answer requests at either node. */
  async function stolen() {
    const person = await running.enroll(unique(), { pin })
    const nodes = [person.device, createDeviceCalls(secondNode.origin, person.signer)]
    const answer = async (node: number, id: string, content: object) => {
      const request = (await person.pending())?.find((each) => each.id === id)
      return read(await nodes[node % 2]!.answer(id, { nonce: request?.nonce ?? random128(), ...content }))
    }
    const guess = (node: number, id: string, wrong: string, attempt = random128()) =>
      answer(node, id, { decision: 'approve', pin: wrong, attempt })
    return { ...person, answer, guess }
  }

  it('an attacker without the PIN gets no more guesses by alternating between two try ids, requests and nodes', async () => {
    const { ask, guess, session } = await stolen()
    const [firstRequest, otherRequest] = [await ask(), await ask()]
    const [a, b] = [random128(), random128()]

    const answers = [
      await guess(0, firstRequest.id, '0000', a),
      await guess(1, otherRequest.id, '0001', b),
      await guess(0, otherRequest.id, '0002', a),
      await guess(1, firstRequest.id, '0003', b),
      await guess(0, firstRequest.id, '0004', a),
      await guess(1, firstRequest.id, pin, b),
    ]

    expect(answers.map(({ json }) => json.errors[0].triesLeft)).toEqual([4, 3, 2, 1, undefined, undefined])
    expect(answers.slice(4).map(({ code }) => code)).toEqual(Array(2).fill('api.error.device.revoked'))
    expect(await session(firstRequest.id)).not.toMatchObject({ state: 'approved' })
  })

  inFullRun(
    'an attacker without the PIN regains no guesses when requests expire, are denied, reported or canceled',
    async () => {
      const { ask, answer, guess, call, sessions, user } = { ...running, ...(await stolen()) }
      const triesLeft: number[] = []
      const tryOne = async (end: (id: string) => Promise<unknown>) => {
        const { id } = await ask()
        triesLeft.push((await guess(triesLeft.length, id, '0000')).json.errors[0].triesLeft)
        await end(id)
      }

      await tryOne(() => running.clock.advance(91))
      await tryOne((id) => answer(0, id, { decision: 'deny' }))
      await tryOne((id) => call('DELETE', `${sessions}/${id}`))
      await tryOne((id) => answer(1, id, { decision: 'report' }))
      await running.clock.advance(16 * 60)
      const last = await ask()

      expect(triesLeft).toEqual([4, 3, 2, 1])
      expect((await guess(0, last.id, '0000')).code).toBe('api.error.device.revoked')
      const token = await call('GET', `/domains/${running.domain.id}/users/${user.id}/token`)
      expect(token.code).toBe('api.error.notfound.token')
    },
  )

  inFullRun(
    'an attacker without the PIN has five guesses, even when many with the same few ids reach both nodes at once',
    async () => {
      const { ask, guess, session, signer } = await stolen()
      const { id } = await ask()
      const names = [random128(), random128(), random128()]

      const answers = await Promise.all(
        Array.from({ length: 24 }, (_, index) => guess(index, id, String(1000 + index), names[index % 3])),
      )

      const { ctx, close } = await openDatabase(database, keysFor(database))
      const device = await deviceById(ctx.store.db, signer.id ?? '')
      await close()
      expect(device?.pinTries).toBe(5)
      expect(answers.every(({ status }) => status >= 400)).toBe(true)
      expect(await session(id)).not.toMatchObject({ state: 'approved' })
    },
  )
})

describe('a clock that is set back', () => {
  it('a clock that is set back allows no approval without the PIN', async () => {
    const real = createTestClock()
    let late = 0
    const clock = { ...real, now: () => real.now() + (late-- > 0 ? 50 : 0) }
    const service = await startService({ clock }, { keyType: 'PIN', requestTimeout: 45 })
    // The fixture signs with its own clock, which starts in the same second.
    const outcomes = []

    for (let readings = 0; readings < 6; readings += 1) {
      const { ask, pending, device, session } = await service.enroll(unique(), { pin })
      const { id } = await ask()
      const [request] = await pending()
      late = readings
      await device.answer(id, { nonce: request!.nonce, decision: 'approve' })
      late = 0
      outcomes.push((await session(id)).state)
    }
    await service.close()

    expect(outcomes).not.toContain('approved')
  })
})

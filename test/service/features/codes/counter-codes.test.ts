import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { useCounter } from '../../../../src/service/features/codes/statements.ts'
import { endAllAccess } from '../../../../src/service/upkeep/restored-statements.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { administrator, startConsole } from '../administrators/console-holder.ts'
import type { Console } from '../administrators/console-holder.ts'
import { holder, otherThan } from './code-holder.ts'

const v13 = { accept: 'application/vnd.service.v1+json' }

describe.each(mainEngines)('a token that counts presses on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let running: Console

  beforeAll(async () => {
    running = await startConsole(await newDatabase())
  })
  afterAll(() => running.close())

  const counterHolder = (counter = 0) => holder(running, { algorithm: 'SHA1', digits: 6, counter })
  type Holder = Awaited<ReturnType<typeof counterHolder>>
  /** What becomes of the codes, by how many were skipped. */
  async function tryCodes({ token, signIn }: Holder, skipped: readonly number[]): Promise<string[]> {
    const states: string[] = []
    for (const steps of skipped) states.push((await signIn({ otp: token.code(steps) })).state)
    return states
  }
  async function resynchronize({ id, token }: Holder, first: number, second = first + 1) {
    running.clock.skip(600)
    const owner = await administrator(running, { role: 'owner' })
    const body = { because: 'new_device', first: token.code(first), second: token.code(second) }
    return owner.call('POST', `/people/${id}/hardware/resynchronize`, { body })
  }
  const restore = () => running.ctx.store.db.transaction().execute((db) => endAllAccess(db, running.clock.now()))

  it('a code of a counter is accepted once and ends those before it, and ten are looked ahead', async () => {
    expect(await tryCodes(await counterHolder(500), [0, 0, 2, 1, 12, 13, 24])).toEqual([
      'approved',
      'denied',
      'approved',
      'denied',
      'approved',
      'approved',
      'denied',
    ])
  })

  inFullRun('a code of a counter is accepted once when 64 requests use it at once', async () => {
    const { token, signIn } = await counterHolder()
    const otp = token.code(3)

    const sessions = await Promise.all(Array.from({ length: 64 }, () => signIn({ otp })))

    expect(sessions.filter(({ state }) => state === 'approved')).toHaveLength(1)
    expect((await token.show()).counter).toBe(4)
  })

  it('a counter is used up by one of many statements, whatever they have read before', async () => {
    const { token } = await counterHolder()
    const use = () => useCounter(running.ctx.store.db, token.id, { next: 3, at: running.clock.now() })

    const outcomes = await Promise.all(Array.from({ length: 16 }, use))

    expect(outcomes.filter(Boolean)).toHaveLength(1)
  })

  inFullRun(
    'two codes of a counter that follow each other resynchronize a token up to twenty codes ahead',
    async () => {
      const [near, far, apart, late] = [
        await counterHolder(),
        await counterHolder(),
        await counterHolder(),
        await counterHolder(),
      ]
      const states = [
        await tryCodes(near, [19, 20, 20, 21]),
        await tryCodes(far, [20, 21, 22]),
        await tryCodes(apart, [15, 15, 17, 16]),
        await tryCodes(late, [15]),
      ]
      const unsynchronized = (await late.token.show()).syncState
      await running.clock.advance(301)

      expect(states).toEqual([
        ['denied', 'approved', 'denied', 'approved'],
        ['denied', 'denied', 'denied'],
        ['denied', 'denied', 'denied', 'denied'],
        ['denied'],
      ])
      expect(unsynchronized).toBe('Out of Sync')
      expect(await tryCodes(late, [16, 0])).toEqual(['denied', 'approved'])
      expect((await late.token.show()).syncState).toBe('Synchronized')
    },
  )

  inFullRun(
    'the second code of a resynchronization of a counter is accepted once when 64 requests use it at once',
    async () => {
      const person = await counterHolder()
      await tryCodes(person, [15])
      const otp = person.token.code(16)

      const sessions = await Promise.all(Array.from({ length: 64 }, () => person.signIn({ otp })))

      expect(sessions.filter(({ state }) => state === 'approved')).toHaveLength(1)
    },
  )

  inFullRun(
    'an administrator resynchronizes a counter by two codes up to a thousand ahead, which sign nobody in',
    async () => {
      const person = await counterHolder(7)

      const answers = [
        await resynchronize(person, 1_000),
        await resynchronize(person, 900, 902),
        await resynchronize(person, 999),
        await resynchronize(person, 999),
      ]

      expect(answers.map(({ code }) => code)).toEqual([
        'api.error.invalid.otp',
        'api.error.invalid.otp',
        undefined,
        'api.error.invalid.otp',
      ])
      expect(await tryCodes(person, [999, 1_000, 1_001])).toEqual(['denied', 'denied', 'approved'])
    },
  )

  it('a code of a counter is refused after a restore until an administrator resynchronizes the token', async () => {
    const [person, other] = [await counterHolder(), await holder(running)]
    const before = await tryCodes(person, [0])
    const inBackup = { counter: 0, usedAt: running.clock.now() }
    await running.ctx.store.db.updateTable('codeGenerator').set(inBackup).where('id', '=', person.token.id).execute()

    const counterTokens = await restore()
    const afterRestore = await tryCodes(person, [0, 1, 15, 16])
    const unsynchronized = await person.token.show()
    const answer = await resynchronize(person, 17)

    expect([before, afterRestore]).toEqual([['approved'], ['denied', 'denied', 'denied', 'denied']])
    expect(counterTokens).toBeGreaterThan(0)
    expect([unsynchronized.syncState, answer.status]).toEqual(['Out of Sync', 200])
    expect(await tryCodes(person, [0, 18, 19])).toEqual(['denied', 'denied', 'approved'])
    // A time-based token has no counter, and works again by itself.
    await running.clock.advance(600)
    expect((await other.signIn({ otp: other.token.code() })).state).toBe('approved')
  })

  it('wrong codes for a counter lock codes after ten, as those of other tokens do', async () => {
    const { token, signIn } = await counterHolder()
    const wrong = otherThan(...Array.from({ length: 25 }, (_, steps) => token.code(steps)))
    for (let tries = 0; tries < 10; tries += 1) await signIn({ otp: wrong })

    expect(await signIn({ otp: token.code() })).toMatchObject({ errors: [{ code: 'api.error.locked' }] })
    expect((await token.show()).counter).toBe(0)
  })

  inFullRun('a token that counts presses keeps its counter for its next user', async () => {
    const [former, next] = [await counterHolder(), await holder(running)]
    await tryCodes(former, [0])
    await running.call('DELETE', `${former.path}/hardware`)
    await running.call('DELETE', `${next.path}/hardware`)
    await running.call('PUT', `${next.path}/hardware/${former.token.id}`)

    expect(await tryCodes({ ...next, token: former.token }, [0, 1])).toEqual(['denied', 'approved'])
  })

  it('a token that counts presses has its counter in version 1.4, and the nearest words in 1.3', async () => {
    const { token, signIn } = await holder(running, { algorithm: 'SHA1', digits: 8, counter: 41 })
    const unused = await token.show()
    await signIn({ otp: token.code(1) })

    const { json: former } = await running.call('GET', `/hardware/${token.id}`, { headers: v13 })

    expect(unused).toMatchObject({ algorithm: 'SHA1', digits: 8, counter: 41, syncState: 'Never Used' })
    expect(unused).not.toHaveProperty('period')
    expect(unused).not.toHaveProperty('lastUsedAt')
    expect(await token.show()).toMatchObject({
      counter: 43,
      syncState: 'Synchronized',
      lastUsedAt: running.clock.now(),
    })
    expect(former).toMatchObject({ type: 'TOTP8', timeStep: '30s' })
    expect(former).not.toHaveProperty('counter')
  })

  it('a token of version 1.3 is time-based, whatever counter the caller sends', async () => {
    const body = { serialNumber: 'of-1.3', type: 'TOTP6', timeStep: 30, seed: '31'.repeat(20), counter: 5 }
    const { json } = await running.call('POST', '/hardware', { headers: v13, body })

    const { json: exact } = await running.call('GET', `/hardware/${json.id}`)

    expect(exact).toMatchObject({ period: 30 })
    expect(exact).not.toHaveProperty('counter')
  })

  it.each([
    ['digits', { counter: 0 }],
    ['type', { counter: 0, digits: 6, type: 'TOTP6' }],
    ['timeStep', { counter: 0, digits: 6, timeStep: 30 }],
    ['period', { counter: 0, digits: 6, period: 30 }],
    ['counter', { counter: -1, digits: 6 }],
    ['counter', { counter: 4_294_967_296, digits: 6 }],
    ['counter', { counter: 1.5, digits: 6 }],
    ['counter', { counter: '0', digits: 6 }],
  ])('a token that counts presses is refused because of %s where it is %j', async (field, more) => {
    const body = { serialNumber: 'refused', seed: '31'.repeat(20), ...more }

    const { code } = await running.call('POST', '/hardware', { body })

    expect(code).toBe(`api.error.invalid.${field.toLowerCase()}`)
  })

  inFullRun(
    'a token that counts presses shows the console its counter, and is found where it is out of sync',
    async () => {
      const { token } = await counterHolder(12)
      await restore()
      running.clock.skip(600)
      const owner = await administrator(running, { role: 'owner' })
      const { serialNumber } = await token.show()

      const { json } = await owner.call('GET', `/stock?filter=out_of_sync&q=${serialNumber}`)

      expect(json.tokens).toMatchObject([{ id: token.id, counter: 12, digits: 6, algorithm: 'SHA1' }])
    },
  )
})

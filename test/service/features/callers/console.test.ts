import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { devicePaths } from '../../../../src/contract/device.ts'
import { DeviceRequest } from '../../../../src/contract/device-answers.ts'
import {
  isCallerVerified,
  isHelpDeskBlocked,
} from '../../../../src/service/features/administrators/caller-statements.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import { random128 } from '../../../support/device-signer.ts'
import { entriesOf } from '../../engine/audit/recorded.ts'
import { newUser, read, unknownId } from '../../start-service.ts'
import { administrator, startConsole } from '../administrators/console-holder.ts'
import type { Console } from '../administrators/console-holder.ts'
import { askCaller, askedCaller, outcomeOf, personWithDevice } from './phone-caller.ts'
import type { Person } from './phone-caller.ts'
import { inFullRun } from '../../../support/full-run.ts'

type Administrator = Awaited<ReturnType<typeof administrator>>

const pin = '4071'

describe.each(mainEngines)('a caller verification, on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let running: Console
  let helpdesk: Administrator
  let pinDomain: string
  let person: Person

  beforeAll(async () => {
    running = await startConsole(await newDatabase())
    const { administration } = running.service
    const domain = await administration.createDomain(running.organization.id, { name: 'With PIN', keyType: 'PIN' })
    pinDomain = domain.id
  })
  afterAll(() => running.close())
  beforeEach(async () => {
    // Ceremonies are limited by address, so time passes.
    running.clock.skip(600)
    helpdesk = await administrator(running, { role: 'helpdesk', domains: [running.domain.id, pinDomain] })
    person = await personWithDevice(running)
  })

  const now = () => running.clock.now()
  const { db } = { db: () => running.ctx.store.db }
  const isVerified = (by = helpdesk) =>
    isCallerVerified(db(), { administratorId: by.id, userId: person.id }, 'NONE', now())
  const pageOf = async (by: Administrator) => (await by.call('GET', `/people/${person.id}`)).json
  const isBlocked = () => isHelpDeskBlocked(db(), person.id, now())

  describe('an answer', () => {
    inFullRun('when many answers to a caller verification arrive at once, one decides and is final', async () => {
      const { answer, confirm, outcome } = await askedCaller(helpdesk, person)

      const answers = await Promise.all(
        Array.from({ length: 32 }, (_, index) => (index % 2 === 0 ? confirm() : answer('deny'))),
      )

      const { state } = await outcome()
      const states = new Set(answers.filter(({ status }) => status === 200).map(({ json }) => json.state))
      expect([...states]).toEqual([state])
      // An answer that is sent twice gets the same result, the other one a conflict.
      const right = state === 'confirmed' ? 0 : 1
      expect(answers.map(({ status }) => status)).toEqual(answers.map((_, index) => (index % 2 === right ? 200 : 409)))
    })

    it('the right number confirms a caller verification for 10 minutes for the administrator who asked', async () => {
      const { id, confirm, outcome } = await askedCaller(helpdesk, person)
      const other = await administrator(running, { role: 'helpdesk', domains: [running.domain.id] })

      const answered = await confirm()

      expect([answered.status, answered.json]).toEqual([200, { id, state: 'confirmed' }])
      expect(await outcome()).toMatchObject({ state: 'confirmed', settledAt: now(), standsUntil: now() + 600 })
      expect(await outcome()).not.toHaveProperty('number')
      expect([await isVerified(), await isVerified(other)]).toEqual([true, false])
      running.clock.skip(599)
      expect([await isVerified(), (await outcome()).state]).toEqual([true, 'confirmed'])
      running.clock.skip(1)
      expect(await isVerified()).toBe(false)
      expect((await outcomeOf(helpdesk, person, id)).code).toBe('api.error.notfound.callerverification')
    })

    it('a wrong number settles a caller verification for good', async () => {
      const { confirm, wrongNumber, outcome } = await askedCaller(helpdesk, person)

      const first = await confirm({ number: wrongNumber })
      const second = await confirm()

      expect(first.json.state).toBe('wrong_number')
      expect([second.status, second.code]).toEqual([409, 'api.error.conflict.state'])
      expect((await outcome()).state).toBe('wrong_number')
      expect([await isVerified(), await isBlocked()]).toEqual([false, false])
    })

    it('an answer without a number leaves a caller verification pending', async () => {
      const { answer, outcome } = await askedCaller(helpdesk, person)

      const { code } = await answer('confirm')

      expect(code).toBe('api.error.invalid.number')
      expect((await outcome()).state).toBe('pending')
    })

    it.each([
      ['deny', 'denied'],
      ['report', 'reported'],
    ])(
      'the answer %s to a caller verification needs no number and blocks the help desk for 24 hours',
      async (decision, state) => {
        const { answer, outcome } = await askedCaller(helpdesk, person)
        const admin = await administrator(running, { role: 'admin', domains: [running.domain.id] })

        await answer(decision)

        expect((await outcome()).state).toBe(state)
        expect([await isVerified(), await isBlocked()]).toEqual([false, true])
        expect((await askCaller(helpdesk, person)).code).toBe('api.error.forbidden.blocked')
        expect((await askCaller(admin, person)).status).toBe(200)
        running.clock.skip(24 * 60 * 60 - 1)
        expect(await isBlocked()).toBe(true)
        running.clock.skip(1)
        expect(await isBlocked()).toBe(false)
      },
    )

    it('a No to a caller verification alerts the operator', async () => {
      const { id, answer } = await askedCaller(helpdesk, person)

      await answer('deny')

      const alert = running.logged.findLast(({ message }) => message.includes('the help desk is blocked'))
      expect(alert?.details).toMatchObject({ verification: id, user: person.id, administrator: helpdesk.id })
    })

    it('an answer to a caller verification needs its nonce, which is checked before the number', async () => {
      const { id, outcome } = await askedCaller(helpdesk, person)

      const { code } = await person.answerCall(id, { nonce: random128(), decision: 'confirm', number: '00' })

      expect(code).toBe('api.error.invalid.nonce')
      expect((await outcome()).state).toBe('pending')
    })

    inFullRun(
      'an answer to a caller verification gets the same response when sent again, and a different one is too late',
      async () => {
        const { confirm, answer } = await askedCaller(helpdesk, person)
        const first = await confirm()

        const repeated = await confirm()
        const other = await answer('deny')

        expect([repeated.status, repeated.json]).toEqual([200, first.json])
        expect(other.code).toBe('api.error.conflict.state')
      },
    )

    it('an answer to a caller verification comes too late after 90 seconds', async () => {
      const { confirm, outcome } = await askedCaller(helpdesk, person)
      running.clock.skip(90)

      const { code } = await confirm()

      expect(code).toBe('api.error.conflict.state')
      expect(await outcome()).toMatchObject({ state: 'expired', settledAt: now(), standsUntil: now() + 600 })
      expect(await person.calls()).toEqual([])
    })

    it('an answer to a caller verification is rejected from the device of another user', async () => {
      const { id, call, number, outcome } = await askedCaller(helpdesk, person)
      const stranger = await personWithDevice(running)

      const { code } = await stranger.answerCall(id, { nonce: call.nonce, decision: 'confirm', number })

      expect(code).toBe('api.error.notfound.callerverification')
      expect((await outcome()).state).toBe('pending')
    })

    it('a confirmed caller verification no longer counts once its device is removed', async () => {
      const { confirm } = await askedCaller(helpdesk, person)
      await confirm()

      await person.device.remove()

      expect(await isVerified()).toBe(false)
    })

    it('a confirmed caller verification no longer counts once the person has left the domain', async () => {
      const { confirm } = await askedCaller(helpdesk, person)
      await confirm()

      await running.call('DELETE', `/domains/${running.domain.id}/users/${person.id}`)

      expect(await isVerified()).toBe(false)
    })

    it('a confirmed caller verification lets the help desk act without a consent for 10 minutes', async () => {
      const reset = () => helpdesk.call('POST', `/people/${person.id}/reset`, { body: { because: 'test' } })
      const { confirm } = await askedCaller(helpdesk, person)

      const before = await reset()
      await confirm()
      await helpdesk.signIn()
      running.clock.skip(599)
      await helpdesk.signIn()
      const codes = `/people/${person.id}/bypass-codes`
      const within = await helpdesk.call('POST', codes, {
        body: { usesAllowed: 1, expirationTime: 1, because: 'test' },
      })
      running.clock.skip(1)
      const after = await reset()

      expect([before.code, within.status, after.code]).toEqual([
        'api.error.forbidden.guarded',
        200,
        'api.error.forbidden.guarded',
      ])
    })

    it('a caller verification can still be answered after a sign-in was reported', async () => {
      const { id, number, answer, outcome } = await askedCaller(helpdesk, person)
      const sessions = `/domains/${running.domain.id}/sessions`
      const { json: session } = await running.call('POST', sessions, { body: { user: { id: person.id } } })
      const { nonce } = (await person.pending())[0]!

      await person.device.answer(session.id, { nonce, decision: 'report' })
      await answer('confirm', { number })

      expect(await outcome()).toMatchObject({ id, state: 'confirmed' })
    })

    inFullRun('the history of the device lists caller verifications apart from sign-ins', async () => {
      const { id, answer } = await askedCaller(helpdesk, person)
      await askCaller(helpdesk, person)
      await answer('deny')

      const { json } = await read(await person.device.get(devicePaths.history))

      expect(json).toMatchObject({ entries: [], more: false, calls: [{ id, state: 'denied', settledAt: now() }] })
      expect(json.calls).toHaveLength(1)
    })

    inFullRun('an answer to a caller verification ends a read that is held for it', async () => {
      const { id, confirm } = await askedCaller(helpdesk, person)
      const heldRead = outcomeOf(helpdesk, person, id, 30)
      await running.clock.timerSet(30)

      await confirm()

      const { json, headers } = await heldRead
      expect([json.state, headers.get('preference-applied')]).toEqual(['confirmed', 'wait=30'])
    })

    it('a held read of a caller verification says nothing to an administrator whose access was revoked', async () => {
      const { id, confirm } = await askedCaller(helpdesk, person)
      const owner = await administrator(running, { role: 'owner' })
      const heldRead = outcomeOf(helpdesk, person, id, 30)
      await running.clock.timerSet(30)

      await owner.call('DELETE', `/administrators/${helpdesk.id}`)
      await confirm()

      expect((await heldRead).status).toBe(401)
    })
  })

  describe('limits', () => {
    inFullRun('the limits of caller verifications hold when many are asked at once', async () => {
      const answers = await Promise.all(Array.from({ length: 8 }, () => askCaller(helpdesk, person)))

      expect(answers.filter(({ status }) => status === 200)).toHaveLength(2)
    })

    it('a person gets at most 2 caller verifications in 10 minutes, no matter who asks', async () => {
      const owner = await administrator(running, { role: 'owner' })
      await askCaller(helpdesk, person)
      await askCaller(owner, person)

      const third = await askCaller(owner, person)

      expect([third.status, third.code, third.headers.get('retry-after')]).toEqual([
        429,
        'api.error.toomanyrequests',
        '600',
      ])
      running.clock.skip(600)
      await helpdesk.signIn()
      expect((await askCaller(helpdesk, person)).status).toBe(200)
    })

    it('a person gets at most 5 caller verifications in 24 hours', async () => {
      for (let count = 0; count < 5; count += 1) {
        expect((await askCaller(helpdesk, person)).status).toBe(200)
        running.clock.skip(600)
        await helpdesk.signIn()
      }

      const sixth = await askCaller(helpdesk, person)

      expect([sixth.status, sixth.headers.get('retry-after')]).toEqual([429, String(24 * 60 * 60 - 5 * 600)])
    })

    it('an administrator asks for at most 30 caller verifications in 24 hours', async () => {
      const scope = `caller by ${helpdesk.id}`
      const at = now()
      await db()
        .insertInto('attempt')
        .values(Array.from({ length: 29 }, () => ({ scope, at })))
        .execute()

      const last = await askCaller(helpdesk, person)
      const next = await askCaller(helpdesk, await personWithDevice(running))

      expect([last.status, next.status, next.headers.get('retry-after')]).toEqual([200, 429, String(24 * 60 * 60)])
    })

    it('the limits of caller verifications and of sign-ins do not affect each other', async () => {
      const path = `/domains/${running.domain.id}/sessions`
      const signIn = () => running.call('POST', path, { body: { user: { id: person.id } } })
      await askCaller(helpdesk, person)
      await askCaller(helpdesk, person)
      expect((await signIn()).status).toBe(200)
      const other = await personWithDevice(running)
      for (let tries = 0; tries < 12; tries += 1) {
        await running.call('POST', path, { body: { user: { id: other.id } } })
      }

      expect((await askCaller(helpdesk, other)).status).toBe(200)
    })
  })

  describe('as it is asked', () => {
    inFullRun(
      'a new caller verification shows its number to the administrator who asks, and reads as pending',
      async () => {
        const { status, json } = await askCaller(helpdesk, person)

        expect(status).toBe(200)
        expect(json).toEqual({
          id: expect.stringMatching(/^[0-9a-f]{40}$/),
          user: person.id,
          domain: person.domainId,
          keyType: 'NONE',
          covers: [person.domainId],
          everywhere: true,
          administrator: helpdesk.id,
          state: 'pending',
          number: expect.stringMatching(/^[1-9]\d$/),
          createdAt: now(),
          expiresAt: now() + 90,
          settledAt: null,
          standsUntil: null,
        })
        expect((await outcomeOf(helpdesk, person, json.id)).json).toEqual(json)
      },
    )

    it('a caller verification shows its number to no administrator but the one who asked', async () => {
      const { json } = await askCaller(helpdesk, person)
      const owner = await administrator(running, { role: 'owner' })

      const { json: verification } = await outcomeOf(owner, person, json.id)

      expect(verification).toMatchObject({ id: json.id, state: 'pending' })
      expect(verification).not.toHaveProperty('number')
    })

    it('a caller verification reaches the inbox of the device without its number and its administrator', async () => {
      const { id, call, number } = await askedCaller(helpdesk, person)

      const { json: inbox, text } = await read(await person.device.inbox())

      expect(inbox).toEqual({
        requests: [],
        calls: [
          {
            id,
            nonce: call.nonce,
            domain: { id: person.domainId, name: 'Domain' },
            user: { username: expect.any(String), name: expect.any(String) },
            numberLength: 2,
            createdAt: now(),
            expiresAt: now() + 90,
          },
        ],
      })
      expect(text).not.toContain(`"${number}"`)
      expect(text).not.toContain(helpdesk.id)
    })

    inFullRun('a caller verification is no request that an older authenticator could show as a sign-in', async () => {
      await askCaller(helpdesk, person)

      const { requests } = (await read(await person.device.inbox())).json

      expect(requests).toEqual([])
      const [call] = await person.calls()
      expect(DeviceRequest.safeParse(call).success).toBe(false)
    })

    inFullRun('a caller verification requires that the person has a device', async () => {
      const { json: user } = await running.call('POST', '/users', {
        body: newUser(random128()),
      })
      await running.call('PUT', `/domains/${running.domain.id}/users/${user.id}`)

      const { code } = await askCaller(helpdesk, { domainId: running.domain.id, id: user.id })

      expect(code).toBe('api.error.notfound.token')
    })

    it('a caller verification has a different number than the sign-ins that the person may be looking at', async () => {
      const path = `/domains/${running.domain.id}/sessions`
      const body = { user: { id: person.id }, numberMatching: true }
      const signIns = [await running.call('POST', path, { body }), await running.call('POST', path, { body })]

      const callerVerifications = [await askCaller(helpdesk, person), await askCaller(helpdesk, person)]

      const numbers = [...signIns, ...callerVerifications].map(({ json }) => json.number)
      expect(new Set(numbers).size).toBe(4)
    })
  })

  describe('on the page of the person', () => {
    it('the person’s page shows a caller verification to the administrator who asked, as long as its outcome stands', async () => {
      const other = await administrator(running, { role: 'admin', domains: [running.domain.id] })
      const { id, number, confirm } = await askedCaller(helpdesk, person)

      const [pendingPage, seenByOther] = [await pageOf(helpdesk), await pageOf(other)]
      await confirm()
      const confirmed = await pageOf(helpdesk)
      running.clock.skip(600)
      const over = await pageOf(helpdesk)

      expect(pendingPage.caller).toMatchObject({ id, number, state: 'pending' })
      expect(seenByOther).not.toHaveProperty('caller')
      expect(confirmed.caller).toMatchObject({ id, state: 'confirmed' })
      expect(confirmed.caller).not.toHaveProperty('number')
      expect(over).not.toHaveProperty('caller')
    })

    inFullRun('the person’s page shows every administrator that a No blocks the help desk for 24 hours', async () => {
      const other = await administrator(running, { role: 'admin', domains: [running.domain.id] })
      await (await askedCaller(helpdesk, person)).answer('deny')
      const until = now() + 24 * 60 * 60

      const pages = [await pageOf(helpdesk), await pageOf(other)]
      running.clock.skip(24 * 60 * 60)
      const later = administrator(running, { role: 'admin', domains: [running.domain.id] })

      expect(pages.map(({ helpDeskBlockedUntil }) => helpDeskBlockedUntil)).toEqual([until, until])
      expect(await pageOf(await later)).not.toHaveProperty('helpDeskBlockedUntil')
    })
  })

  describe('of a person with devices of two apps, one with a PIN', () => {
    let strong: Person
    const because = 'test'
    const issue = (domainId: string) =>
      helpdesk.call('POST', `/people/${person.id}/domains/${domainId}/token`, { body: { because } })
    const everywhere = {
      'a reset': ['POST', 'reset', {}],
      'a recovery code': ['POST', 'bypass-codes', { usesAllowed: 1, expirationTime: 1 }],
      'an address': ['PUT', 'email', { email: 'other@example.com' }],
      'a hardware token': ['POST', 'hardware', { serialNumber: 'A-1' }],
      'a passkey': ['POST', `passkeys/${unknownId}/delete`, {}],
    } as const
    const change = (name: keyof typeof everywhere) => {
      const [method, path, body] = everywhere[name]
      const headers = { 'if-match': '"1"' }
      return helpdesk.call(method, `/people/${person.id}/${path}`, { body: { ...body, because }, headers })
    }
    const names = Object.keys(everywhere) as (keyof typeof everywhere)[]

    beforeEach(async () => {
      strong = await personWithDevice(running, pinDomain, { pin }, person.id)
    })

    it('a caller verification by a device without a PIN covers only the app without a PIN', async () => {
      await (await askedCaller(helpdesk, person)).confirm()

      const answers = [await issue(running.domain.id), await issue(pinDomain)]

      expect(answers.map(({ status, code }) => code ?? status)).toEqual([200, 'api.error.forbidden.guarded'])
      expect(answers[1]!.text).toContain('A weaker device has verified the caller')
      expect((await pageOf(helpdesk)).caller).toMatchObject({
        keyType: 'NONE',
        covers: [running.domain.id],
        everywhere: false,
      })
    })

    it.each(names)(
      'a caller verification by a device without a PIN does not cover %s, which counts everywhere',
      async (name) => {
        await (await askedCaller(helpdesk, person)).confirm()

        expect((await change(name)).code).toBe('api.error.forbidden.guarded')
      },
    )

    inFullRun.each(names)('a caller verification by the strongest device covers %s', async (name) => {
      await (await askedCaller(helpdesk, strong)).confirm({ pin })

      expect((await change(name)).code).not.toBe('api.error.forbidden.guarded')
      expect((await pageOf(helpdesk)).caller ?? { everywhere: true }).toMatchObject({ everywhere: true })
    })

    it('a caller verification from before its strength was recorded covers as little as possible', async () => {
      await (await askedCaller(helpdesk, strong)).confirm({ pin })
      await db().updateTable('callerVerification').set({ keyType: 'NONE' }).where('userId', '=', person.id).execute()

      expect((await change('a reset')).code).toBe('api.error.forbidden.guarded')
    })
  })

  describe('in a domain with a PIN', () => {
    beforeEach(async () => {
      person = await personWithDevice(running, pinDomain, { pin })
    })

    it('a caller verification in a domain with a PIN needs the PIN to confirm, and not to deny', async () => {
      const first = await askedCaller(helpdesk, person)
      const second = await askedCaller(helpdesk, person)

      const without = await first.confirm()
      const confirmed = await first.confirm({ pin })
      const denied = await second.answer('deny')

      expect(without.code).toBe('api.error.invalid.pin')
      expect([confirmed.json.state, denied.json.state]).toEqual(['confirmed', 'denied'])
    })

    it('a caller verification stays pending after a wrong PIN, which counts together with those of sign-ins', async () => {
      const { confirm, outcome } = await askedCaller(helpdesk, person)
      await running.call('POST', `/domains/${pinDomain}/sessions`, { body: { user: { id: person.id } } })
      const [request] = await person.pending()
      await person.device.answer(request!.id, { nonce: request!.nonce, decision: 'approve', pin: '0000' })

      const { code, json } = await confirm({ pin: '0000' })

      expect([code, json.errors[0].triesLeft]).toEqual(['api.error.invalid.pin', 3])
      expect((await outcome()).state).toBe('pending')
    })

    inFullRun('the last wrong PIN for a caller verification revokes the device', async () => {
      const { confirm, outcome } = await askedCaller(helpdesk, person)

      const answers = []
      for (let tries = 0; tries < 6; tries += 1) answers.push(await confirm({ pin: '0000' }))

      expect(answers.slice(-2).map(({ code }) => code)).toEqual(Array(2).fill('api.error.device.revoked'))
      expect((await outcome()).state).toBe('pending')
    })

    inFullRun('a wrong PIN for a caller verification does not reveal whether the number was right', async () => {
      const { confirm, wrongNumber, outcome } = await askedCaller(helpdesk, person)

      const right = await confirm({ pin: '0000' })
      const wrong = await confirm({ pin: '0000', number: wrongNumber })

      expect([right.code, wrong.code]).toEqual(Array(2).fill('api.error.invalid.pin'))
      expect((await outcome()).state).toBe('pending')
    })
  })

  it('the audit trail records who asked for a caller verification and which device answered', async () => {
    const { id, answer } = await askedCaller(helpdesk, person)

    await answer('deny')

    const entries = (await entriesOf(db())).filter(({ facts }) => facts['verification'] === id)
    const facts = { verification: id, administrator: helpdesk.id, user: person.id, device: person.signer.id }
    expect(entries).toMatchObject([
      { event: 'caller.asked', actor: { kind: 'administrator', id: helpdesk.id }, facts },
      {
        event: 'caller.denied',
        actor: { kind: 'device', id: person.signer.id },
        facts: { ...facts, reason: 'user_denied' },
      },
    ])
  })

  it('a caller verification is not found under another person or domain', async () => {
    const { id } = await askedCaller(helpdesk, person)
    const other = await personWithDevice(running)

    const answers = [
      await outcomeOf(helpdesk, { ...person, id: other.id }, id),
      await outcomeOf(helpdesk, { ...person, domainId: pinDomain }, id),
      await outcomeOf(helpdesk, person, unknownId),
    ]

    expect(answers.map(({ code }) => code)).toEqual(Array(3).fill('api.error.notfound.callerverification'))
  })
})

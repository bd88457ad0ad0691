import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { ServiceOptions } from '../../../../src/service/options.ts'
import { openService } from '../../../../src/service/service.ts'
import { createDeviceCalls, createDeviceSigner, previewCode } from '../../../support/device-signer.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { changePass, hardwareToken, holder, member, unique } from '../codes/code-holder.ts'
import {
  activateDevice,
  createCall,
  createTenant,
  keysFor,
  read,
  startService,
  unknownId,
} from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

const bypass = { usesAllowed: 1, expirationTime: 0 }

describe.each(mainEngines)('on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let running: Running
  let database: string

  beforeAll(async () => {
    database = await newDatabase()
    running = await startService({ database }, { bypassEnabled: true, activationCodeExpiration: 1 })
  })
  afterAll(() => running.close())

  const tokenPath = (user: { id: string }) => `/domains/${running.domain.id}/users/${user.id}/token`
  const issueFirst = async (user: { id: string }) => running.call('PUT', `${tokenPath(user)}/first`)

  /** A device that is ready to use a code. */
  async function readyDevice(code: string) {
    const { json } = await read(await previewCode(running.origin, code))
    const signer = await createDeviceSigner({ service: json.service, now: () => running.clock.now() })
    return createDeviceCalls(running.origin, signer)
  }

  describe('a first factor', () => {
    it('a first factor is a single app, even when many are set up at once', async () => {
      const person = await member(running)

      const tried = await Promise.all(Array.from({ length: 12 }, () => person.enrollApp({ first: true })))

      const codes = tried.map(({ answer }) => answer.code ?? answer.status)
      expect(codes.filter((code) => code === 200)).toHaveLength(1)
      expect(new Set(codes)).toEqual(new Set([200, 'api.error.conflict.enrolled']))
      const owned = tried.find(({ answer }) => answer.status === 200)?.answer.json
      expect((await person.show()).hardware).toBe(owned.id)
    })

    it('a first factor is either a device or an app, even when both are set up at once', async () => {
      const people = await Promise.all(Array.from({ length: 6 }, () => member(running)))
      const pairs = await Promise.all(
        people.map(async (person) => {
          const { code } = (await issueFirst(person)).json
          return { person, code, device: await readyDevice(code) }
        }),
      )

      const outcomes = await Promise.all(
        pairs.map(async ({ person, code, device }) => {
          const [activated, { answer }] = await Promise.all([device.activate(code), person.enrollApp({ first: true })])
          return [activated.status, answer.status].toSorted((a, b) => a - b).join()
        }),
      )

      expect(outcomes.filter((outcome) => !['200,404', '200,409'].includes(outcome))).toEqual([])
    })

    it('a first factor leaves nothing behind when it is set up too late', async () => {
      const person = await member(running)
      await person.enrollApp({ first: true })
      const before = (await running.call('GET', '/hardware')).text

      await person.enrollApp({ first: true })

      expect((await running.call('GET', '/hardware')).text).toBe(before)
    })

    it('a first factor cannot be an app for a user whose device is active', async () => {
      const person = await member(running)
      const { code } = (await issueFirst(person)).json
      const { status } = await (await readyDevice(code)).activate(code)

      const { answer } = await person.enrollApp({ first: true })

      expect([status, answer.code]).toEqual([200, 'api.error.conflict.enrolled'])
    })

    it.each([
      ['an app', (user: { enrollApp: (more: object) => Promise<unknown> }) => user.enrollApp({ first: true })],
      [
        'a hardware token',
        async (user: { path: string }) =>
          running.call('PUT', `${user.path}/hardware/${(await hardwareToken(running)).id}`),
      ],
      ['a bypass code', (user: { path: string }) => running.call('POST', `${user.path}/bypasscodes`, { body: bypass })],
    ] as const)(
      'a first factor ends the code that an attacker with the password may have noted: %s',
      async (_what, store) => {
        const person = await member(running)
        const { code } = (await issueFirst(person)).json
        const device = await readyDevice(code)

        await store(person)

        const late = [await previewCode(running.origin, code), await device.activate(code)].map(({ status }) => status)
        expect(late).toEqual([404, 404])
        expect((await running.call('GET', tokenPath(person))).code).toBe('api.error.notfound.token')
      },
    )

    inFullRun('a first factor is checked when it is stored, not only when the code is shown', async () => {
      const person = await member(running)
      const { code } = (await issueFirst(person)).json
      const device = await readyDevice(code)
      const { ctx, close } = await openService(
        ServiceOptions.parse({ database, clock: running.clock, ...keysFor(database) }),
      )
      await ctx.store.db.updateTable('user').set({ everEnrolled: 1 }).where('id', '=', person.id).execute()
      await close()

      const late = await read(await device.activate(code))

      expect(late.code).toBe('api.error.notfound.activationcode')
    })

    it('a device as the first factor also ends codes that an attacker may have noted in other domains', async () => {
      const person = await member(running)
      const other = await running.service.administration.createDomain(running.organization.id, { name: unique() })
      await running.call('PUT', `/domains/${other.id}/users/${person.id}`)
      const here = (await issueFirst(person)).json.code
      const there = (await running.call('PUT', `/domains/${other.id}/users/${person.id}/token/first`)).json.code

      await activateDevice(running.origin, running.clock, here)

      expect((await previewCode(running.origin, there)).status).toBe(404)
    })

    it('setting up a first factor neither returns nor replaces a code that an administrator issued', async () => {
      const person = await member(running)
      const { text, json } = await running.call('PUT', tokenPath(person))

      const issued = await issueFirst(person)

      expect(issued.json).toEqual({ state: 'pending' })
      expect((await running.call('GET', tokenPath(person))).text).toBe(text)
      expect((await previewCode(running.origin, json.code)).status).toBe(200)
    })

    it('a first factor cannot be an app while the code of an administrator is pending', async () => {
      const [person, personWithCode] = [await member(running), await member(running)]
      await running.call('PUT', tokenPath(person))
      await issueFirst(personWithCode)

      const refused = await person.enrollApp({ first: true })
      const stored = await personWithCode.enrollApp({ first: true })
      running.clock.skip(86_400)
      const later = await person.enrollApp({ first: true })

      expect([refused.answer.code, stored.answer.status]).toEqual(['api.error.conflict.state', 200])
      expect(later.answer.status).toBe(200)
    })

    it('an administrator’s code for a first factor is new and ends the code that a page has shown', async () => {
      const person = await member(running)
      const pageCode = (await issueFirst(person)).json.code

      const { json } = await running.call('PUT', tokenPath(person))
      const reissued = await running.call('PUT', tokenPath(person))

      expect(json).toEqual({ state: 'pending', code: expect.stringMatching(/^[a-z2-9]{10}$/) })
      expect(json.code).not.toBe(pageCode)
      expect(reissued.json).toEqual(json)
      expect((await issueFirst(person)).json).toEqual({ state: 'pending' })
      expect((await previewCode(running.origin, pageCode)).status).toBe(404)
    })

    it('users who ever had a first factor, in any way or domain, cannot set up another one, even after its removal', async () => {
      const [device, app, released] = [await running.enroll(unique()), await member(running), await holder(running)]
      const excused = await member(running)
      await running.call('DELETE', tokenPath(device.user))
      await app.enrollApp({ first: true })
      for (const person of [app, released]) await running.call('DELETE', `${person.path}/hardware`)
      await running.call('POST', `${excused.path}/bypasscodes`, { body: bypass })
      await running.call('DELETE', `${excused.path}/bypasscodes`)

      const answers = await Promise.all([device.user, app, released, excused].map((person) => issueFirst(person)))

      expect(answers.map(({ code }) => code)).toEqual(answers.map(() => 'api.error.conflict.enrolled'))
    })
  })

  describe('an authenticator app', () => {
    inFullRun('an authenticator app replaces another one at once, and only once when many replace it', async () => {
      const person = await member(running)
      const old = await person.enrollApp({ first: true })

      const pass = await person.pass()

      const tried = await Promise.all(
        Array.from({ length: 8 }, () => person.enrollApp({ replaces: old.answer.json.id, pass })),
      )

      const winners = tried.filter(({ answer }) => answer.status === 200)
      expect(winners).toHaveLength(1)
      expect(new Set(tried.map(({ answer }) => answer.code))).toEqual(
        new Set([undefined, 'api.error.conflict.hardware']),
      )
      await running.clock.advance(30)
      const states = [await person.signIn({ otp: old.code() }), await person.signIn({ otp: winners[0]!.code() })]
      expect(states.map(({ state }) => state)).toEqual(['denied', 'approved'])
    })

    inFullRun('an authenticator app cannot be added next to another one, nor in place of a removed one', async () => {
      const person = await holder(running)

      const pass = await person.pass()

      const beside = await person.enrollApp({ pass })
      await running.call('DELETE', `${person.path}/hardware`)
      const instead = await person.enrollApp({ replaces: person.token.id, pass })

      expect([beside.answer.code, instead.answer.code]).toEqual(Array(2).fill('api.error.conflict.hardware'))
    })

    it.each([
      ['when its user removes it', (user: { path: string }) => `${user.path}/hardware`],
      ['when its user leaves the domain', (user: { id: string }) => `/domains/${running.domain.id}/users/${user.id}`],
      ['when its user is deleted', (user: { path: string }) => user.path],
    ] as const)('an authenticator app never passes to another user: it is deleted %s', async (_when, path) => {
      const person = await member(running)
      const { answer } = await person.enrollApp({ first: true })

      await running.call('DELETE', path(person))

      expect((await running.call('GET', `/hardware/${answer.json.id}`)).code).toBe('api.error.notfound.hardware')
    })

    it('the seed of an authenticator app is never returned or logged', async () => {
      const person = await member(running)
      const { seed, answer } = await person.enrollApp({ first: true })

      const visibleText = [
        answer.text,
        (await running.call('GET', '/hardware')).text,
        JSON.stringify(running.logged),
      ].join()

      expect(visibleText).not.toContain(seed)
    })
  })

  describe('another device', () => {
    async function replacing() {
      const person = await running.enroll(unique())
      const { json } = await running.call('PUT', `${tokenPath(person.user)}/replacement`, { body: {} })
      return { ...person, code: json.code as string }
    }

    it('a replacement device is activated once, even when its code is used many times at once', async () => {
      const { code, device } = await replacing()
      const devices = await Promise.all(Array.from({ length: 8 }, () => readyDevice(code)))

      const statuses = await Promise.all(devices.map(async (candidate) => (await candidate.activate(code)).status))

      expect(statuses.filter((status) => status === 200)).toHaveLength(1)
      expect(statuses.filter((status) => status === 404)).toHaveLength(7)
      expect((await device.inbox()).status).toBe(403)
    })

    inFullRun('a replacement device has one code, even when many are requested at once', async () => {
      const { user } = await running.enroll(unique())

      const answers = await Promise.all(
        Array.from({ length: 8 }, () => running.call('PUT', `${tokenPath(user)}/replacement`, { body: {} })),
      )

      expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    })

    it('a replacement device takes over when its code is used, and the old device is notified', async () => {
      const { user, code, device, ask, session } = await replacing()
      const open = await ask()

      const next = await activateDevice(running.origin, running.clock, code)

      const oldInbox = await read(await device.inbox())
      expect([oldInbox.status, oldInbox.code]).toEqual([403, 'api.error.device.moved'])
      expect((await session(open.id)).state).toBe('cancelled')
      const newSession = await ask()
      const [request] = await next.pending()
      await next.device.answer(newSession.id, { nonce: request!.nonce, decision: 'approve' })
      expect((await session(newSession.id)).state).toBe('approved')
      expect((await running.call('GET', tokenPath(user))).json.state).toBe('active')
    })

    inFullRun('a replacement device invalidates approvals of the device that it replaces', async () => {
      const { code, ask, pending, device, sessions } = await replacing()
      const challenge = 'A'.repeat(22)
      const session = await ask({ challenge })
      await device.answer(session.id, { nonce: (await pending())[0]!.nonce, decision: 'approve' })

      await activateDevice(running.origin, running.clock, code)

      const redeemed = await running.call('POST', `${sessions}/${session.id}/redeem`, { body: { challenge } })
      expect(redeemed.code).toBe('api.error.conflict.state')
    })

    it('a replacement device loses its code once the token is revoked', async () => {
      const { user, code } = await replacing()

      await running.call('DELETE', tokenPath(user))

      expect((await previewCode(running.origin, code)).status).toBe(404)
    })

    inFullRun('a replacement device changes nothing when its code expires unused', async () => {
      const { user, code, device } = await replacing()

      running.clock.skip(86_400)

      expect((await previewCode(running.origin, code)).status).toBe(404)
      expect((await device.inbox()).status).toBe(200)
      expect((await running.call('PUT', `${tokenPath(user)}/replacement`, { body: {} })).json.code).not.toBe(code)
    })
  })

  it('a user keeps one of two factors, even when both are removed many times at once', async () => {
    const people = await Promise.all(Array.from({ length: 4 }, () => running.enroll(unique())))
    for (const { user } of people) {
      await running.call('PUT', `/users/${user.id}/hardware/${(await hardwareToken(running)).id}`)
    }
    const passes = new Map<string, string>()
    for (const { user } of people) passes.set(user.id, await changePass(running, user.id))
    const giveUp = (id: string, what: string) =>
      running.call('POST', `/domains/${running.domain.id}/users/${id}/factors/give-up`, {
        body: { what, pass: passes.get(id) },
      })

    const answers = await Promise.all(
      people.map(({ user }) =>
        Promise.all(Array.from({ length: 8 }, (_, each) => giveUp(user.id, each % 2 ? 'device' : 'hardware'))),
      ),
    )

    expect(answers.map((tried) => tried.filter(({ status }) => status === 200).length)).toEqual(people.map(() => 1))
  })

  describe('a key of role auth', () => {
    const lesser = async () =>
      createCall(
        running.origin,
        await running.service.administration.createApiKey(running.organization.id, { role: 'auth' }),
      )

    it('an API key of role auth sets up only first factors', async () => {
      const [call, person] = [await lesser(), await member(running)]
      const body = (otp: string) => ({ type: 'TOTP6', timeStep: 30, seed: '31'.repeat(20), otp })

      const replacing = await call('POST', `${person.memberPath}/hardware`, { body: body('000000') })
      const moving = await call('PUT', `${tokenPath(person)}/replacement`, { body: {} })
      const codes = await call('PUT', `${person.memberPath}/bypasscodes`, { body: { ...bypass, pass: unknownId } })

      expect([replacing.code, moving.code, codes.code]).toEqual(Array(3).fill('api.error.forbidden'))
      expect((await call('PUT', `${tokenPath(person)}/first`)).status).toBe(200)
    })

    it('an API key of role auth loses its activation codes when a first factor is set up', async () => {
      const [call, person] = [await lesser(), await member(running)]
      const { code } = (await call('PUT', tokenPath(person))).json

      await running.call('PUT', `${person.path}/hardware/${(await hardwareToken(running)).id}`)

      expect((await previewCode(running.origin, code)).status).toBe(404)
    })

    it('an API key of role auth does not receive the names of devices', async () => {
      const [call, { user }] = [await lesser(), await running.enroll(unique())]

      expect((await call('GET', tokenPath(user))).json).toEqual({ state: 'active' })
    })
  })

  it('the service rejects replacement devices that another organization asks for', async () => {
    const { user } = await running.enroll(unique())
    const theirs = await createTenant(running.service, running.origin)

    const answer = await theirs.call('PUT', `${tokenPath(user)}/replacement`, { body: {} })

    expect(answer.code).toBe('api.error.notfound.domain')
  })
})

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'

import type { PhishingResistance } from '../../../../src/contract/phishing-resistance.ts'
import { random128 } from '../../../support/device-signer.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { startMailServer } from '../../../support/mail-server.ts'
import type { MailServer } from '../../../support/mail-server.ts'
import { entriesOf, openDatabase } from '../../engine/audit/recorded.ts'
import { changePass, hardwareToken, unique } from '../codes/code-holder.ts'
import { passkeyPage, rp } from '../passkeys/passkey-holder.ts'
import { createCall, keysFor, startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

const reason = 'phishing_resistance_required'
const refused = { state: 'denied', reason }
const noPass = 'api.error.conflict.pass'
const v13 = { accept: 'application/vnd.service.v1+json' }
const change = { purpose: 'change_devices' }

describe.each(mainEngines)('phishing resistance, on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let running: Running
  let mail: MailServer
  let database: string

  beforeAll(async () => {
    mail = await startMailServer()
    database = await newDatabase()
    const smtp = { host: '127.0.0.1', port: mail.port, from: 'mfa@example.com' }
    running = await startService({ database, smtp }, { bypassEnabled: true, emailOtpEnabled: true })
  })
  afterEach(() => policy('off'))
  afterAll(async () => {
    await running.close()
    await mail.close()
  })

  const policy = (phishingResistant: PhishingResistance) =>
    running.service.administration.setDomain(running.organization.id, running.domain.id, { phishingResistant })

  /** A user with a device and a hardware token. */
  async function owner() {
    const person = await running.enroll(unique())
    const { id } = person.user
    const token = await hardwareToken(running)
    await running.call('PUT', `/users/${id}/hardware/${token.id}`)
    const email = `${unique()}@example.com`
    await running.call('PUT', `/users/${id}`, { body: { email } })
    const approve = async (more: object = {}) => {
      const challenge = random128()
      const session = await person.ask({ challenge, ...more })
      const [request] = await person.pending()
      await person.device.answer(session.id, { nonce: request!.nonce, decision: 'approve' })
      return { challenge, id: session.id }
    }
    const redeem = ({ id: session, challenge }: { id: string; challenge: string }, more: object = {}) =>
      running.call('POST', `${person.sessions}/${session}/redeem`, { body: { challenge, ...more } })
    const passByPush = async (more: object = {}) => {
      const approval = await approve({ ...change, ...more })
      await redeem(approval, more)
      return approval.id
    }
    return { ...person, ...passkeyPage(running, { id }), id, email, token, approve, redeem, passByPush }
  }
  type Owner = Awaited<ReturnType<typeof owner>>

  /** The same with a passkey. */
  async function passkeyOwner() {
    const person = await owner()
    const { json: passkey } = await person.addPasskey({ pass: await person.passByPush() })
    return { ...person, passkey: passkey as { id: string } }
  }

  const mailCode = ({ id }: Owner) =>
    running.call('POST', `/domains/${running.domain.id}/users/${id}/otp`, { body: { deliverableOTPType: 'EMAIL' } })

  async function mailedCode(person: Owner) {
    running.clock.skip(86_401)
    await mailCode(person)
    return mail.mails.filter(({ to, code }) => to.includes(person.email) && code !== '').at(-1)!.code
  }

  async function bypassCode({ id }: { id: string }, more: object = {}) {
    const body = { usesAllowed: 1, expirationTime: 30, ...more }
    return (await running.call('POST', `/users/${id}/bypasscodes`, { body })).json as { id: string; code: string }
  }

  const usesLeft = async (code: { id: string }) =>
    (await running.call('GET', `/bypasscodes/${code.id}`)).json.usesRemaining as number

  /** What a user can try beside a passkey, for one session. */
  const otherFactors = {
    push: async () => ({}),
    'a code of a token': async ({ token }: Owner) => ({ otp: token.code() }),
    'a wrong code': async () => ({ otp: '000000' }),
    'an e-mailed code': async (person: Owner) => ({ otp: await mailedCode(person) }),
    'a recovery code': async (person: Owner) => ({ bypasscode: (await bypassCode(person)).code }),
  } satisfies Record<string, (person: Owner) => Promise<object>>
  const names = Object.keys(otherFactors) as (keyof typeof otherFactors)[]

  describe('required by the domain', () => {
    it.each(names)('a domain that requires phishing resistance denies %s at once, for signing in', async (name) => {
      const person = await owner()
      const otherFactor = await otherFactors[name](person)
      await policy('require')

      const session = await person.ask(otherFactor)

      expect(session).toMatchObject({ ...refused, factor: expect.any(String) })
      expect(await person.pending()).toEqual([])
    })

    it.each(['push', 'a code of a token'] as const)(
      'a domain that requires phishing resistance denies %s for changing factors',
      async (name) => {
        const person = await owner()
        await policy('require')

        expect(await person.ask({ ...change, ...(await otherFactors[name](person)) })).toMatchObject(refused)
      },
    )

    it('a domain that requires phishing resistance approves a passkey', async () => {
      const person = await passkeyOwner()
      await policy('require')

      expect(await person.usePasskey({ redeem: {} })).toMatchObject({ state: 'approved', factor: 'passkey' })
    })

    it('required phishing resistance holds for API keys of role auth', async () => {
      const person = await owner()
      await policy('require')
      const { administration } = running.service
      const key = await administration.createApiKey(running.organization.id, { role: 'auth' })
      const call = createCall(running.origin, key)

      const body = { user: { id: person.id }, otp: person.token.code() }

      expect((await call('POST', person.sessions, { body })).json).toMatchObject(refused)
    })

    it('required phishing resistance neither uses up nor counts the codes that it denies', async () => {
      const person = await owner()
      const code = await bypassCode(person)
      const otp = person.token.code()
      await policy('require')
      for (let tries = 0; tries < 12; tries += 1) await person.ask({ otp: '000000' })

      const denied = [await person.ask({ otp }), await person.ask({ bypasscode: code.code })]
      const remainingUses = await usesLeft(code)
      await policy('off')

      expect(denied).toMatchObject([refused, refused])
      expect(remainingUses).toBe(1)
      expect(await person.ask({ otp })).toMatchObject({ state: 'approved' })
    })

    it('each user’s record names the phishing resistance of domains, to a limited key only of its own domain', async () => {
      const { service, organization, domain, call, origin } = running
      const person = await owner()
      const other = await service.administration.createDomain(organization.id, {
        name: 'Other',
        phishingResistant: 'prefer',
      })
      await call('PUT', `/domains/${other.id}/users/${person.id}`)
      const limited = createCall(
        origin,
        await service.administration.createApiKey(organization.id, {
          role: 'auth',
          domainId: domain.id,
        }),
      )
      const read = async (as: typeof call) => (await as('GET', `/users/${person.id}`)).json.phishingResistant as object

      const before = [await read(call), await read(limited)]
      await policy('require')

      expect(before).toEqual([{ [other.id]: 'prefer' }, undefined])
      expect(await read(call)).toEqual({ [domain.id]: 'require', [other.id]: 'prefer' })
      expect(await read(limited)).toEqual({ [domain.id]: 'require' })
    })

    it('a domain that requires phishing resistance e-mails no code', async () => {
      const person = await owner()
      await policy('require')

      expect((await mailCode(person)).code).toBe('api.error.conflict.emailotpenabled')
    })

    it.each(['push', 'a code of a token', 'a recovery code'] as const)(
      'a domain that requires phishing resistance denies %s to callers of 1.3',
      async (name) => {
        const person = await owner()
        const otherFactor = await otherFactors[name](person)
        await policy('require')

        const body = { user: { id: person.id }, ...change, ...otherFactor }
        const { text } = await running.call('POST', person.sessions, { headers: v13, body })

        expect(text).toMatch(/^\{"id":"[0-9a-f]{40}","state":"denied"\}$/)
      },
    )

    it('required phishing resistance writes the reason and the factor into the audit trail', async () => {
      const person = await owner()
      await policy('require')
      const { id } = await person.ask()

      const { ctx, close } = await openDatabase(database, keysFor(database))
      const entries = await entriesOf(ctx.store.db)
      await close()

      const entry = entries.find(({ facts }) => facts.session === id)
      expect(entry).toMatchObject({ event: 'session.denied', facts: { reason, factor: 'push' } })
    })

    it('an approval from before phishing resistance was required is not redeemed', async () => {
      const person = await owner()
      const approval = await person.approve()
      await policy('require')

      expect((await person.redeem(approval)).code).toBe('api.error.conflict.state')
    })

    it('a pass from before phishing resistance was required changes no factor', async () => {
      const person = await owner()
      const passes = [await person.passByPush(), await changePass(running, person.id)]
      await policy('require')

      const answers = await Promise.all(passes.map((pass) => person.startRegistration({ pass })))

      expect(answers.map(({ code }) => code)).toEqual([noPass, noPass])
    })
  })

  describe('a code that an administrator hands over', () => {
    /** A user without a passkey who has passed with such a code. */
    async function passed() {
      const person = await owner()
      await policy('require')
      const { code } = await bypassCode(person)
      return { ...person, pass: await changePass(running, person.id, { bypasscode: code }) }
    }

    it('a code that an administrator hands over leads to a passkey, which then signs in', async () => {
      const person = await passed()

      const added = await person.addPasskey({ pass: person.pass })

      expect(added.status).toBe(200)
      expect(await person.usePasskey({ redeem: {} })).toMatchObject({ state: 'approved' })
    })

    it.each<[string, (person: { id: string }, pass: string) => Promise<{ code: string | undefined }>]>([
      [
        'the device',
        ({ id }, pass) =>
          running.call('PUT', `/domains/${running.domain.id}/users/${id}/token/replacement`, { body: { pass } }),
      ],
      [
        'the recovery codes',
        ({ id }, pass) =>
          running.call('PUT', `/domains/${running.domain.id}/users/${id}/bypasscodes`, {
            body: { pass, usesAllowed: 1, expirationTime: 0 },
          }),
      ],
      [
        'the hardware token',
        ({ id }, pass) =>
          running.call('POST', `/domains/${running.domain.id}/users/${id}/factors/give-up`, {
            body: { pass, what: 'hardware' },
          }),
      ],
    ])('a code that an administrator hands over changes nothing but passkeys: not %s', async (_, attempt) => {
      const person = await passed()

      expect((await attempt(person, person.pass)).code).toBe(noPass)
    })

    inFullRun.each([
      ['device', ['passkey']],
      ['codes', ['passkey']],
      ['passkey', ['passkey', 'bypass']],
    ])(
      'a code that an administrator hands over is named as a requirement for a passkey only: %s',
      async (changed, allowed) => {
        const person = await passkeyOwner()
        await bypassCode(person)
        await policy('require')

        const path = `/domains/${running.domain.id}/users/${person.id}/factors/requirement?changed=${changed}`

        expect((await running.call('GET', path)).json.factors).toEqual(allowed)
      },
    )

    it.each([
      ['two uses', { usesAllowed: 2 }],
      ['31 minutes', { expirationTime: 31 }],
      ['no end', { expirationTime: 0 }],
    ])('a code that an administrator hands over is denied with %s, and not used up', async (_, more) => {
      const person = await owner()
      const code = await bypassCode(person, more)
      await policy('require')

      const session = await person.ask({ ...change, bypasscode: code.code })

      expect(session).toMatchObject({ ...refused, factor: 'bypass' })
      expect(await usesLeft(code)).toBe('usesAllowed' in more ? 2 : 1)
    })

    inFullRun('a code that an administrator hands over is good for 30 minutes', async () => {
      const person = await owner()
      const code = await bypassCode(person)
      await policy('require')
      running.clock.skip(1800)

      expect(await person.ask({ ...change, bypasscode: code.code })).toMatchObject({ reason: 'wrong_code' })
    })

    inFullRun('a code that an administrator hands over is counted when it is wrong', async () => {
      const person = await owner()
      await policy('require')
      for (let tries = 0; tries < 10; tries += 1) await person.ask({ ...change, bypasscode: '000000000' })

      const locked: unknown = await person.ask({ ...change, bypasscode: '000000000' })

      expect(locked).toMatchObject({ errors: [{ code: 'api.error.locked' }] })
    })
  })

  describe('preferred', () => {
    it.each(names.filter((name) => name !== 'a wrong code'))(
      'preferred phishing resistance leaves %s to users without a passkey',
      async (name) => {
        const person = await owner()
        await policy('prefer')

        const session = await person.ask({ rpId: rp.id, ...(await otherFactors[name](person)) })

        expect(session.state).toBe(name === 'push' ? 'pending' : 'approved')
      },
    )

    it.each(names)('preferred phishing resistance denies %s to users who have a passkey', async (name) => {
      const person = await passkeyOwner()
      const otherFactor = await otherFactors[name](person)
      await policy('prefer')

      expect(await person.ask({ rpId: rp.id, ...otherFactor })).toMatchObject(refused)
    })

    it('preferred phishing resistance looks only at passkeys for the app, or at all of them where none is named', async () => {
      const person = await passkeyOwner()
      await policy('prefer')

      const elsewhere = await person.ask({ rpId: 'other.example', otp: person.token.code() })
      const unnamed = await person.ask({ otp: person.token.code() })

      expect([elsewhere, unnamed]).toMatchObject([{ state: 'approved' }, refused])
    })

    inFullRun(
      'over version 1.3, preferred phishing resistance denies users who have a passkey, and no others',
      async () => {
        const [with_, without] = [await passkeyOwner(), await owner()]
        await policy('prefer')
        const states = await Promise.all(
          [with_, without].map(async ({ id, token, sessions }) => {
            const body = { user: { id }, otp: token.code() }
            return (await running.call('POST', sessions, { headers: v13, body })).json.state as string
          }),
        )

        expect(states).toEqual(['denied', 'approved'])
      },
    )

    inFullRun(
      'preferred phishing resistance lets a user who lost the passkey make another one and change nothing else',
      async () => {
        const person = await passkeyOwner()
        await policy('prefer')
        const { code } = await bypassCode(person)
        const pass = await changePass(running, person.id, { bypasscode: code })

        const device = await running.call('PUT', `/domains/${running.domain.id}/users/${person.id}/token/replacement`, {
          body: { pass },
        })

        expect(device.code).toBe(noPass)
        expect((await person.startRegistration({ pass })).status).toBe(200)
      },
    )
  })

  describe('of an app', () => {
    it.each(['off', 'prefer'] as const)(
      'the phishing resistance of an app can be stricter than that of its domain, %s',
      async (ofDomain) => {
        const person = await owner()
        await policy(ofDomain)

        expect(await person.ask({ phishingResistant: 'require' })).toMatchObject(refused)
      },
    )

    it('the phishing resistance of an app is no looser than its domain', async () => {
      const person = await owner()
      await policy('require')

      expect(await person.ask({ phishingResistant: 'prefer' })).toMatchObject(refused)
    })

    it('an app that requires phishing resistance redeems no approval created under less, except by a passkey', async () => {
      const person = await passkeyOwner()
      const strict = { phishingResistant: 'require' }
      const byPush = await person.approve()
      const challenge = random128()
      const byPasskey = await person.usePasskey({ challenge })

      const answers = [
        await person.redeem(byPush, strict),
        await person.redeem(byPush, { phishingResistant: 'prefer' }),
        await person.redeem({ id: byPasskey.id, challenge }, strict),
        await person.redeem(byPush),
      ]

      const conflict = 'api.error.conflict.state'
      expect(answers.map(({ code }) => code)).toEqual([conflict, conflict, undefined, undefined])
    })

    it('an app that requires phishing resistance limits what its pass by a bypass code changes', async () => {
      const person = await owner()
      const challenge = random128()
      const strict = { phishingResistant: 'require' }
      const { code: bypasscode } = await bypassCode(person)
      const { id: pass } = await person.ask({ ...change, ...strict, challenge, bypasscode, redeem: {} })

      const device = await running.call('PUT', `/domains/${running.domain.id}/users/${person.id}/token/replacement`, {
        body: { pass },
      })

      expect(device.code).toBe(noPass)
      expect((await person.startRegistration({ pass })).status).toBe(200)
    })

    inFullRun.each([{ phishingResistant: 'off' }, { phishingResistant: true }, { rpId: '127.0.0.1' }])(
      'the phishing resistance of an app cannot be %j',
      async (more) => {
        const person = await owner()

        expect(
          (await running.call('POST', person.sessions, { body: { user: { id: person.id }, ...more } })).status,
        ).toBe(400)
      },
    )
  })
})

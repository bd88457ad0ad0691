import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { resetUser } from '../../../../src/service/features/people/reset.ts'
import { ServiceOptions } from '../../../../src/service/options.ts'
import { openService } from '../../../../src/service/service.ts'
import { createDeviceCalls, createDeviceSigner, previewCode } from '../../../support/device-signer.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { startMailServer } from '../../../support/mail-server.ts'
import type { MailServer } from '../../../support/mail-server.ts'
import { bypassCodeOf, changePass, hardwareToken, holder, member, unique } from '../codes/code-holder.ts'
import { activateDevice, createTenant, keysFor, read, startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

const refused = 'api.error.conflict.pass'
const codes = { usesAllowed: 1, expirationTime: 0 }
const challenge = 'q83vEjRWeJCrze8SNFZ4kA'
const minute = 60

describe.each(mainEngines)('a pass for changing factors, on %s', (engine) => {
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
  afterAll(async () => {
    await running.close()
    await mail.close()
  })

  const userPath = (id: string, domainId = running.domain.id) => `/domains/${domainId}/users/${id}`
  const replaceCodes = async (id: string, pass: string) =>
    running.call('PUT', `${userPath(id)}/bypasscodes`, { body: { ...codes, pass } })
  const replaceDevice = async (id: string, pass: string) =>
    running.call('PUT', `${userPath(id)}/token/replacement`, { body: { pass } })
  const giveUp = async (id: string, pass: string, what = 'device') =>
    running.call('POST', `${userPath(id)}/factors/give-up`, { body: { what, pass } })
  const requirement = async (id: string, changed: string, pass?: string) =>
    (await running.call('GET', `${userPath(id)}/factors/requirement?changed=${changed}${pass ? `&pass=${pass}` : ''}`))
      .json

  /** Resets the user as the command does, while the service runs. */
  async function reset(userId: string) {
    const options = { database, clock: running.clock, ...keysFor(database) }
    const { ctx, close } = await openService(ServiceOptions.parse(options))
    await resetUser(ctx, { organizationId: running.organization.id, userId })
    await close()
  }

  /** A user with a device and a hardware token. */
  async function owner() {
    const person = await running.enroll(unique())
    const { id } = person.user
    const token = await hardwareToken(running)
    await running.call('PUT', `/users/${id}/hardware/${token.id}`)
    const byDevice = async () => {
      const session = await person.ask({ challenge, purpose: 'change_devices' })
      const [request] = await person.pending()
      await person.device.answer(session.id, { nonce: request!.nonce, decision: 'approve' })
      await running.call('POST', `${person.sessions}/${session.id}/redeem`, { body: { challenge } })
      return session.id
    }
    return { ...person, id, token, byToken: () => changePass(running, id, { otp: token.code() }), byDevice }
  }

  /** A user with an e-mail address and no other factor. */
  async function addressee() {
    const address = `${unique()}@example.com`
    const person = await member(running, { email: address })
    const byEmail = async () => {
      await running.clock.advance(minute)
      await running.call('POST', `${userPath(person.id)}/otp`, { body: { deliverableOTPType: 'EMAIL' } })
      const { code: otp } = mail.mails.filter(({ to, code }) => to.includes(address) && code !== '').at(-1)!
      return person.pass({ otp })
    }
    return { ...person, byEmail }
  }

  describe('bound to its factor', () => {
    inFullRun('a pass for changing factors records the device, token or code in the redeemed session', async () => {
      const person = await owner()
      const { id, code } = await bypassCodeOf(running, person.id)

      const passes = [
        await person.byDevice(),
        await person.byToken(),
        await changePass(running, person.id, { bypasscode: code }),
      ]

      const sessions = await Promise.all(passes.map((pass) => person.session(pass)))
      expect(sessions.map(({ factor, factorId, purpose }) => [factor, factorId, purpose])).toEqual([
        ['push', person.signer.id, 'change_devices'],
        ['otp', person.token.id, 'change_devices'],
        ['bypass', id, 'change_devices'],
      ])
    })

    inFullRun('a pass for changing factors allows changes while its factor is in force', async () => {
      const person = await owner()

      const answers = [
        await replaceDevice(person.id, await person.byToken()),
        await replaceCodes(person.id, await person.byDevice()),
        await giveUp(person.id, await person.byDevice(), 'hardware'),
      ]

      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    })

    it('a pass by a stolen token allows nothing after the token was released, though the owner has another one', async () => {
      const person = await owner()
      const pass = await person.byToken()
      await running.call('DELETE', `/users/${person.id}/hardware`)
      await running.call('PUT', `/users/${person.id}/hardware/${(await hardwareToken(running)).id}`)

      const answers = [
        await replaceDevice(person.id, pass),
        await replaceCodes(person.id, pass),
        await giveUp(person.id, pass, 'device'),
      ]

      expect(answers.map(({ code }) => code)).toEqual([refused, refused, refused])
      expect(await requirement(person.id, 'device', pass)).toMatchObject({ passed: false })
    })

    inFullRun(
      'a pass by a stolen phone allows nothing after the phone was revoked, though the owner has another one',
      async () => {
        const person = await owner()
        const pass = await person.byDevice()
        await running.call('DELETE', `${userPath(person.id)}/token`)
        const { code } = (await running.call('PUT', `${userPath(person.id)}/token`)).json
        await activateDevice(running.origin, running.clock, code)

        const answers = [await replaceDevice(person.id, pass), await replaceCodes(person.id, pass)]

        expect(answers.map(({ code: refusal }) => refusal)).toEqual([refused, refused])
      },
    )

    it('a pass for changing factors is checked again when the code of a replacement device is used', async () => {
      const person = await owner()
      const { code } = (await replaceDevice(person.id, await person.byToken())).json
      expect((await previewCode(running.origin, code)).status).toBe(200)

      await running.call('DELETE', `/users/${person.id}/hardware`)

      expect((await previewCode(running.origin, code)).status).toBe(404)
      const newToken = (await replaceDevice(person.id, await person.byDevice())).json
      expect(newToken.code).not.toBe(code)
      expect((await previewCode(running.origin, newToken.code)).status).toBe(200)
    })

    it('a pass for changing factors creates a new code, not the one shown after a pass with another factor', async () => {
      const person = await holder(running)
      const earlierToken = (await replaceDevice(person.id, await person.pass({ otp: person.token.code() }))).json

      const newToken = (await replaceDevice(person.id, await person.pass())).json

      expect(newToken.code).not.toBe(earlierToken.code)
      expect((await previewCode(running.origin, earlierToken.code)).status).toBe(404)
    })
  })

  describe('by a code with a single use', () => {
    /** Passes with a single-use code. */
    async function passed() {
      const person = await owner()
      const code = await bypassCodeOf(running, person.id)
      return { ...person, code, pass: await changePass(running, person.id, { bypasscode: code.code }) }
    }

    it('a pass by a single-use code is valid for ten minutes, although the code is reported as not found', async () => {
      const { id, code, pass, ask } = await passed()
      const userView = (await running.call('GET', `/users/${id}`)).json

      await running.clock.advance(10 * minute)
      const inTime = await requirement(id, 'codes', pass)
      const secondSession = await ask({ bypasscode: code.code })
      await running.clock.advance(1)

      expect(userView.bypasscodes).toEqual([])
      expect((await running.call('GET', `/bypasscodes/${code.id}`)).code).toBe('api.error.notfound.bypasscode')
      expect([inTime.passed, secondSession.state]).toEqual([true, 'denied'])
      expect((await replaceCodes(id, pass)).code).toBe(refused)
    })

    inFullRun('a pass by a single-use code leaves room for five codes', async () => {
      const { id } = await passed()

      const createdIds = []
      for (let each = 0; each < 5; each += 1) createdIds.push((await bypassCodeOf(running, id)).id)

      expect(createdIds.filter(Boolean)).toHaveLength(5)
    })

    inFullRun(
      'a pass by a single-use code stays valid after the user creates new codes, and the used code stays invalid',
      async () => {
        const { id, pass, code, ask } = await passed()

        const newCodes = await replaceCodes(id, pass)
        const next = await replaceDevice(id, pass)

        expect([newCodes.status, newCodes.json.length, next.status]).toEqual([200, 5, 200])
        expect((await ask({ bypasscode: code.code })).state).toBe('denied')
      },
    )

    inFullRun.each([
      ['withdrawn', ({ code }) => running.call('DELETE', `/bypasscodes/${code.id}`)],
      ['withdrawn with all others', ({ id }) => running.call('DELETE', `/users/${id}/bypasscodes`)],
      ['reset', ({ id }) => reset(id)],
    ] as [string, (person: Awaited<ReturnType<typeof passed>>) => Promise<unknown>][])(
      'a pass by a single-use code is invalid once the code is %s',
      async (_what, end) => {
        const person = await passed()

        await end(person)

        expect((await replaceCodes(person.id, person.pass)).code).toBe(refused)
      },
    )

    it('a pass by a single-use code is invalid once the code would have expired', async () => {
      const person = await owner()
      const body = { usesAllowed: 1, expirationTime: 1 }
      const { code } = (await running.call('POST', `/users/${person.id}/bypasscodes`, { body })).json
      const pass = await changePass(running, person.id, { bypasscode: code })

      await running.clock.advance(minute)

      expect((await replaceCodes(person.id, pass)).code).toBe(refused)
    })
  })

  it('a sign-in gives no pass for changing factors', async () => {
    const person = await owner()
    const session = await person.ask({ challenge, otp: person.token.code() })
    await running.call('POST', `${person.sessions}/${session.id}/redeem`, { body: { challenge } })

    expect((await replaceCodes(person.id, session.id)).code).toBe(refused)
    expect((await replaceDevice(person.id, session.id)).code).toBe(refused)
  })

  describe('for the first recovery codes', () => {
    /** A user whose device is the only factor. */
    async function newcomer() {
      const person = await running.enroll(unique())
      const { id } = person.user
      const signIn = async () => {
        const session = await person.ask({ challenge })
        const [request] = await person.pending()
        await person.device.answer(session.id, { nonce: request!.nonce, decision: 'approve' })
        await running.call('POST', `${person.sessions}/${session.id}/redeem`, { body: { challenge } })
        return session.id
      }
      return { ...person, id, signIn }
    }

    it('a sign-in by the only factor gives a pass for the first recovery codes, once', async () => {
      const person = await newcomer()
      const pass = await person.signIn()

      expect((await requirement(person.id, 'codes', pass)).passed).toBe(true)
      const newCodes = await replaceCodes(person.id, pass)
      expect([newCodes.status, newCodes.json.length]).toEqual([200, 5])
      expect((await replaceCodes(person.id, pass)).code).toBe(refused)
      expect((await replaceCodes(person.id, await person.signIn())).code).toBe(refused)
    })

    inFullRun('a sign-in gives a pass for the first recovery codes to one of two requests at once', async () => {
      const person = await newcomer()
      const pass = await person.signIn()

      const answers = await Promise.all([replaceCodes(person.id, pass), replaceCodes(person.id, pass)])

      expect(answers.map(({ status }) => status)).toEqual(expect.arrayContaining([200, 409]))
    })

    it('a sign-in gives no pass for recovery codes to users who ever had codes', async () => {
      const person = await newcomer()
      const code = await bypassCodeOf(running, person.id)
      await running.call('DELETE', `/bypasscodes/${code.id}`)

      expect((await replaceCodes(person.id, await person.signIn())).code).toBe(refused)
    })

    inFullRun(
      'a sign-in gives a pass for the first recovery codes again to users whom an administrator has reset',
      async () => {
        const person = await newcomer()
        await replaceCodes(person.id, await person.signIn())
        const refusedBefore = await replaceCodes(person.id, await person.signIn())
        await reset(person.id)
        const { json: token } = await running.call('PUT', `${userPath(person.id)}/token`)
        const { device, pending } = await activateDevice(running.origin, running.clock, token.code)
        const session = await person.ask({ challenge })
        const [request] = await pending()
        await device.answer(session.id, { nonce: request!.nonce, decision: 'approve' })
        await running.call('POST', `${person.sessions}/${session.id}/redeem`, { body: { challenge } })

        expect(refusedBefore.code).toBe(refused)
        expect((await replaceCodes(person.id, session.id)).status).toBe(200)
      },
    )

    it('a sign-in gives no pass for recovery codes to users with two factors', async () => {
      const person = await newcomer()
      const token = await hardwareToken(running)
      await running.call('PUT', `/users/${person.id}/hardware/${token.id}`)

      expect((await replaceCodes(person.id, await person.signIn())).code).toBe(refused)
    })

    it('a sign-in by a factor that has been replaced gives no pass for recovery codes', async () => {
      const person = await newcomer()
      const pass = await person.signIn()
      const token = await hardwareToken(running)
      await running.call('PUT', `/users/${person.id}/hardware/${token.id}`)
      await running.call('DELETE', `${userPath(person.id)}/token`)

      expect((await replaceCodes(person.id, pass)).code).toBe(refused)
    })

    it('a sign-in more than ten minutes ago gives no pass for recovery codes', async () => {
      const person = await newcomer()
      const pass = await person.signIn()
      await running.clock.advance(10 * minute + 1)

      expect((await replaceCodes(person.id, pass)).code).toBe(refused)
    })

    it('a sign-in gives a pass for the first recovery codes and for nothing else', async () => {
      const person = await newcomer()
      const pass = await person.signIn()

      expect((await replaceDevice(person.id, pass)).code).toBe(refused)
      expect((await giveUp(person.id, pass)).code).toBe(refused)
    })
  })

  it('a pass is valid once its challenge has redeemed it, for its own user and in its own domain', async () => {
    const [person, other] = [await owner(), await owner()]
    const open = await person.ask({ challenge, purpose: 'change_devices', otp: person.token.code() })
    const domain = await running.service.administration.createDomain(running.organization.id, { name: unique() })
    await running.call('PUT', userPath(person.id, domain.id))

    const unredeemed = await replaceDevice(person.id, open.id)
    await running.call('POST', `${person.sessions}/${open.id}/redeem`, { body: { challenge } })
    const elsewhere = await running.call('PUT', `${userPath(person.id, domain.id)}/token/replacement`, {
      body: { pass: open.id },
    })
    const another = await replaceDevice(other.id, open.id)
    const here = await replaceDevice(person.id, open.id)

    expect([unredeemed, elsewhere, another].map(({ code }) => code)).toEqual([refused, refused, refused])
    expect(here.status).toBe(200)
  })

  inFullRun('a pass for changing factors is not accepted for another organization', async () => {
    const person = await owner()
    const pass = await person.byToken()
    const theirs = await createTenant(running.service, running.origin)

    const answer = await theirs.call('PUT', `${userPath(person.id)}/bypasscodes`, { body: { ...codes, pass } })

    expect(answer.code).toBe('api.error.notfound.domain')
  })

  describe('by e-mail', () => {
    it('a pass by e-mail adds the first factor, and nothing after that', async () => {
      const person = await addressee()

      const device = await replaceDevice(person.id, await person.byEmail())
      await activateDevice(running.origin, running.clock, device.json.code)

      expect(device.status).toBe(200)
      expect(await requirement(person.id, 'device')).toEqual({ factors: ['push', 'otp'], passed: false })
      const pass = await person.byEmail()
      expect((await replaceDevice(person.id, pass)).code).toBe(refused)
      expect((await replaceCodes(person.id, pass)).code).toBe(refused)
    })

    it('a pass by e-mail adds no factor to another user who could also pass by e-mail', async () => {
      const [person, other] = [await addressee(), await addressee()]

      const answer = await replaceDevice(other.id, await person.byEmail())

      expect(answer.code).toBe(refused)
    })

    inFullRun('a pass by e-mail ends when the address changes, or when the domain sends no codes', async () => {
      const [moved, person] = [await addressee(), await addressee()]
      const [pass, other] = [await moved.byEmail(), await person.byEmail()]

      await running.call('PUT', `/users/${moved.id}`, { body: { email: `new-${unique()}@example.com` } })
      const afterMove = await replaceDevice(moved.id, pass)
      const setDomain = (emailOtpEnabled: boolean) =>
        running.service.administration.setDomain(running.organization.id, running.domain.id, { emailOtpEnabled })
      await setDomain(false)
      const afterSwitch = await replaceDevice(person.id, other)
      await setDomain(true)

      expect([afterMove.code, afterSwitch.code]).toEqual([refused, refused])
      expect((await replaceDevice(person.id, other)).status).toBe(200)
    })

    inFullRun('a pass by e-mail adds nothing for a user who ever had a strong factor', async () => {
      const person = await addressee()
      await bypassCodeOf(running, person.id)
      await running.call('DELETE', `/users/${person.id}/bypasscodes`)

      const pass = await person.byEmail()

      expect((await person.enrollApp({ pass })).answer.code).toBe(refused)
      expect(await requirement(person.id, 'device')).toEqual({ factors: [], passed: false })
    })

    it('a pass by e-mail creates no recovery codes for a user with a strong factor in another domain', async () => {
      const person = await addressee()
      const domain = await running.service.administration.createDomain(running.organization.id, { name: unique() })
      await running.call('PUT', userPath(person.id, domain.id))
      const { code } = (await running.call('PUT', `${userPath(person.id, domain.id)}/token`)).json
      await activateDevice(running.origin, running.clock, code)

      const pass = await person.byEmail()

      expect((await replaceCodes(person.id, pass)).code).toBe(refused)
      expect(await requirement(person.id, 'codes')).toEqual({ factors: [], passed: false })
    })

    inFullRun('a pass by e-mail loses its activation code when another first factor is set up', async () => {
      const person = await addressee()
      const { code } = (await replaceDevice(person.id, await person.byEmail())).json

      const { json } = await read(await previewCode(running.origin, code))
      const signer = await createDeviceSigner({ service: json.service, now: () => running.clock.now() })

      const { answer } = await person.enrollApp({ pass: await person.byEmail() })
      const late = await createDeviceCalls(running.origin, signer).activate(code)

      expect([answer.status, late.status]).toEqual([200, 404])
    })
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { createDeviceCalls, createDeviceSigner, previewCode, random128 } from '../../../support/device-signer.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { startMailServer } from '../../../support/mail-server.ts'
import type { MailServer } from '../../../support/mail-server.ts'
import { changePass, hardwareToken, unique } from '../codes/code-holder.ts'
import { passkeyHolder, passkeyPage, passkeyUser, rp } from './passkey-holder.ts'
import { activateDevice, read, startService, unknownId } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

const refused = 'api.error.conflict.pass'
const last = 'api.error.conflict.state'
const otherRp = { id: 'other.example', origins: ['https://other.example'], name: 'Other' }

describe.each(mainEngines)('changing passkeys, on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let running: Running
  let mail: MailServer

  beforeAll(async () => {
    mail = await startMailServer()
    const smtp = { host: '127.0.0.1', port: mail.port, from: 'mfa@example.com' }
    const database = await newDatabase()
    running = await startService({ database, smtp }, { bypassEnabled: true, emailOtpEnabled: true })
  })
  afterAll(async () => {
    await running.close()
    await mail.close()
  })

  /** A user with a device, a hardware token and a page of the app. */
  async function owner() {
    const person = await running.enroll(unique())
    const { id } = person.user
    const token = await hardwareToken(running)
    await running.call('PUT', `/users/${id}/hardware/${token.id}`)
    const challenge = random128()
    const byPush = async (purpose = 'change_devices') => {
      const session = await person.ask({ challenge, purpose })
      const [request] = await person.pending()
      await person.device.answer(session.id, { nonce: request!.nonce, decision: 'approve' })
      await running.call('POST', `${person.sessions}/${session.id}/redeem`, { body: { challenge } })
      await running.clock.advance(30)
      return session.id
    }
    const byToken = async () => {
      await running.clock.advance(30)
      return changePass(running, id, { otp: token.code() })
    }
    const page = passkeyPage(running, { id })
    return {
      ...person,
      ...page,
      id,
      token,
      byPush,
      byToken,
      byCode: () => changePass(running, id),
      show: userReader(id),
    }
  }
  const userReader = (id: string) => async () => (await running.call('GET', `/users/${id}`)).json

  /** The same with a passkey. */
  async function passkeyOwner() {
    const person = await owner()
    const { json: passkey } = await person.addPasskey({ pass: await person.byPush() })
    return { ...person, passkey: passkey as { id: string } }
  }

  const requirement = async ({ id }: { id: string }, query: string) =>
    (await running.call('GET', `/domains/${running.domain.id}/users/${id}/factors/requirement?${query}`)).json

  const giveUpPasskey = (
    { passkeys }: { passkeys: string },
    passkey: { id: string },
    pass: string,
    more: object = {},
  ) => running.call('POST', `${passkeys}/${passkey.id}/give-up`, { body: { pass, ...more } })
  const giveUp = ({ id }: { id: string }, what: string, pass: string, more: object = {}) =>
    running.call('POST', `/domains/${running.domain.id}/users/${id}/factors/give-up`, { body: { what, pass, ...more } })

  describe('the last factor', () => {
    inFullRun('the last factor of a user stays even when all factors are given up at once', async () => {
      const person = await passkeyOwner()
      const { id: rpId } = rp
      const [first, second, third] = [
        await person.passByPasskey(),
        await person.passByPasskey(),
        await person.passByPasskey(),
      ]

      const answers = await Promise.all([
        giveUp(person, 'device', first, { rpId }),
        giveUp(person, 'hardware', second, { rpId }),
        giveUpPasskey(person, person.passkey, third),
      ])

      const { hardware, factors } = await person.show()
      expect(answers.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(2)
      expect(hardware !== '' || factors.includes('push') || factors.includes('passkey')).toBe(true)
    })

    it('a user keeps the last factor, whether it is the device, the hardware token or a passkey for the app', async () => {
      const person = await passkeyOwner()
      const { id: rpId } = rp

      const gone = [
        await giveUp(person, 'device', await person.passByPasskey(), { rpId }),
        await giveUp(person, 'hardware', await person.passByPasskey(), { rpId }),
      ]
      const refusal = await giveUpPasskey(person, person.passkey, await person.passByPasskey())
      await person.addPasskey({ pass: await person.passByPasskey() })
      const replaced = await giveUpPasskey(person, person.passkey, await person.passByPasskey())

      expect(gone.map(({ status }) => status)).toEqual([200, 200])
      expect([refusal.code, replaced.status]).toEqual([last, 200])
    })

    inFullRun('a user can give up the only passkey while a device or hardware token remains', async () => {
      const person = await passkeyOwner()

      const answer = await giveUpPasskey(person, person.passkey, await person.passByPasskey())

      expect(answer.status).toBe(200)
      expect(await person.show()).toMatchObject({ passkeys: [] })
    })

    it('a passkey does not count as the last factor for another app, nor where no app is named', async () => {
      const person = await passkeyOwner()
      await giveUp(person, 'hardware', await person.passByPasskey())

      const answers = [
        await giveUp(person, 'device', await person.passByPasskey()),
        await giveUp(person, 'device', await person.passByPasskey(), { rpId: otherRp.id }),
      ]

      expect(answers.map(({ code }) => code)).toEqual([last, last])
    })
  })

  describe('the first one for a relying party', () => {
    inFullRun.each(['byPush', 'byToken', 'byCode'] as const)(
      'a user can add the first passkey for a relying party with a pass %s',
      async (way) => {
        const person = await owner()

        expect((await person.addPasskey({ pass: await person[way]() })).status).toBe(200)
      },
    )

    inFullRun('a user who has passkeys for another relying party can add the first one for this one', async () => {
      const person = await passkeyOwner()

      expect((await person.startRegistration({ pass: await person.byPush(), rp: otherRp })).status).toBe(200)
      expect(await requirement(person, `changed=passkey&rpId=${otherRp.id}`)).toMatchObject({
        factors: ['push', 'otp'],
      })
    })

    inFullRun('a user who has no other factor can add the first passkey for a relying party by e-mail', async () => {
      const address = `${unique()}@example.com`
      const person = await passkeyUser(running)
      await running.call('PUT', person.path, { body: { email: address } })
      running.clock.skip(86_401)
      const pass = async () => {
        await running.clock.advance(61)
        await running.call('POST', `${person.memberPath}/otp`, { body: { deliverableOTPType: 'EMAIL' } })
        const { code: otp } = mail.mails.filter(({ to, code }) => to.includes(address) && code !== '').at(-1)!
        return person.pass({ otp })
      }

      const [first, second] = [
        await person.addPasskey({ pass: await pass() }),
        await person.addPasskey({ pass: await pass() }),
      ]

      expect([first.status, second.code]).toEqual([200, refused])
    })

    it.each([
      ['no pass', async () => undefined],
      ['an unknown session', async () => unknownId],
      ["another user's pass", async () => (await owner()).byPush()],
      ['a pass for signing in', async (person: Awaited<ReturnType<typeof owner>>) => person.byPush('sign_in')],
      [
        'an old pass',
        async (person: Awaited<ReturnType<typeof owner>>) => {
          const pass = await person.byPush()
          running.clock.skip(601)
          return pass
        },
      ],
      [
        'the pass of a device that was revoked',
        async (person: Awaited<ReturnType<typeof owner>>) => {
          const pass = await person.byPush()
          await running.call('DELETE', `/domains/${running.domain.id}/users/${person.id}/token`)
          return pass
        },
      ],
    ])(
      'adding the first passkey for a relying party is refused with %s, at the start and at the end',
      async (_, make) => {
        const person = await owner()
        const challenge = random128()
        const pass = await make(person)
        const { json: options } = await person.startRegistration({ challenge, pass: await person.byToken() })
        const response = person.authenticator.make(options)

        const started = await person.startRegistration({ pass })
        const body = { challenge, pass, name: 'Laptop', response }
        const ended = await running.call('POST', person.passkeys, { body })

        expect([started.code, ended.code]).toEqual([refused, refused])
        expect(await person.listPasskeys()).toEqual([])
      },
    )

    inFullRun('a user who already had a factor cannot add a passkey as the first factor', async () => {
      const person = await owner()

      expect((await person.addPasskey({ first: true })).code).toBe('api.error.conflict.enrolled')
    })
  })

  describe('of a user who has one for the relying party', () => {
    inFullRun('a user who has a passkey can change passkeys with a passkey or a recovery code', async () => {
      const person = await passkeyOwner()

      const answers = [
        await person.addPasskey({ pass: await person.passByPasskey() }),
        await person.addPasskey({ pass: await person.byCode() }),
        await giveUpPasskey(person, person.passkey, await person.byCode()),
      ]

      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
      expect(await requirement(person, `changed=passkey&rpId=${rp.id}`)).toEqual({
        factors: ['passkey'],
        passed: false,
      })
    })

    it.each(['byPush', 'byToken'] as const)(
      'a user who has a passkey cannot change passkeys with a pass %s',
      async (way) => {
        const person = await passkeyOwner()
        const pass = await person[way]()

        const answers = [await person.startRegistration({ pass }), await giveUpPasskey(person, person.passkey, pass)]

        expect(answers.map(({ code }) => code)).toEqual([refused, refused])
        expect(await requirement(person, `changed=passkey&rpId=${rp.id}&pass=${pass}`)).toMatchObject({ passed: false })
      },
    )

    inFullRun('a pass by push is refused at the end if the first passkey was added since the start', async () => {
      const person = await owner()
      const ceremony = { challenge: random128(), pass: await person.byPush() }
      const { json: options } = await person.startRegistration(ceremony)
      const response = person.authenticator.make(options)
      await person.addPasskey({ pass: await person.byPush() })

      const { code } = await running.call('POST', person.passkeys, { body: { ...ceremony, name: 'Laptop', response } })

      expect(code).toBe(refused)
    })

    inFullRun(
      'the requirement to change passkeys counts a passkey for any relying party where none is named',
      async () => {
        const person = await passkeyOwner()

        expect(await requirement(person, 'changed=passkey')).toMatchObject({ factors: ['passkey'] })
      },
    )

    it('replacing recovery codes requires the passkey of a user who has one, because codes can change passkeys', async () => {
      const person = await passkeyOwner()
      const path = `/domains/${running.domain.id}/users/${person.id}/bypasscodes`
      const replace = async (pass: string) =>
        running.call('PUT', path, { body: { usesAllowed: 1, expirationTime: 0, pass } })

      const [byPush, byToken] = [await replace(await person.byPush()), await replace(await person.byToken())]
      const byPasskey = await replace(await person.passByPasskey())

      expect([byPush.code, byToken.code, byPasskey.status]).toEqual([refused, refused, 200])
    })

    inFullRun('replacing the device does not require a passkey, because a device cannot change passkeys', async () => {
      const person = await passkeyOwner()
      const path = `/domains/${running.domain.id}/users/${person.id}/token/replacement`

      const { status } = await running.call('PUT', path, { body: { pass: await person.byToken() } })

      expect(status).toBe(200)
    })

    it('a user cannot change passkeys with the pass of a passkey that was removed since', async () => {
      const person = await passkeyOwner()
      const pass = await person.passByPasskey()
      await running.call('DELETE', `${person.passkeys}/${person.passkey.id}`)

      expect((await person.addPasskey({ pass })).code).toBe(refused)
    })

    inFullRun('a user cannot change passkeys with a pass that a passkey gave for signing in', async () => {
      const person = await passkeyOwner()
      const { id: pass } = await person.usePasskey({ redeem: {} })

      expect((await person.addPasskey({ pass })).code).toBe(refused)
    })
  })

  inFullRun('a passkey lets its user change every other factor', async () => {
    const person = await passkeyOwner()
    const pass = await person.passByPasskey()

    for (const changed of ['device', 'app', 'hardware', 'passkey', 'codes'])
      expect(await requirement(person, `changed=${changed}&rpId=${rp.id}&pass=${pass}`)).toMatchObject({ passed: true })
  })

  inFullRun('a user cannot give up a passkey of another user', async () => {
    const [person, other] = [await passkeyOwner(), await passkeyHolder(running)]

    const { code } = await giveUpPasskey(person, other.passkey, await person.passByPasskey())

    expect(code).toBe('api.error.notfound.passkey')
    expect(await other.listPasskeys()).toHaveLength(1)
  })

  inFullRun('removing a passkey ends every web session except the one whose epoch was given', async () => {
    const person = await passkeyOwner()
    const before = (await person.show()).epoch
    const epoch = random128()

    await giveUpPasskey(person, person.passkey, await person.passByPasskey(), { epoch })

    expect([(await person.show()).epoch === before, (await person.show()).epoch]).toEqual([false, epoch])
  })

  inFullRun('the user is notified of passkey changes on the device and by mail', async () => {
    const address = `${unique()}@example.com`
    const person = await owner()
    await running.call('PUT', `/users/${person.id}`, { body: { email: address, language: 'de' } })
    const { json: passkey } = await person.addPasskey({ pass: await person.byPush() })
    await running.call('DELETE', `${person.passkeys}/${passkey.id}`)

    const { json: inbox } = await read(await person.device.inbox())
    const kinds = inbox.notices.map(({ kind }: { kind: string }) => kind)
    await expect.poll(() => mail.mails.filter(({ to }) => to.includes(address)).length).toBeGreaterThanOrEqual(2)

    expect(kinds).toEqual(expect.arrayContaining(['passkey_added', 'passkey_removed']))
    const texts = mail.mails.filter(({ to }) => to.includes(address)).map(({ text }) => text)
    expect(texts.join('\n')).toContain('Ein Passkey wurde hinzugefügt')
    expect(texts.join('\n')).toContain('Ein Passkey wurde entfernt')
  })

  inFullRun('a replacement code for a device stops working when the passkey that allowed it is removed', async () => {
    const person = await passkeyOwner()
    const path = `/domains/${running.domain.id}/users/${person.id}/token/replacement`
    const { json } = await running.call('PUT', path, { body: { pass: await person.passByPasskey() } })
    await running.call('DELETE', `${person.passkeys}/${person.passkey.id}`)

    const { json: preview } = await read(await previewCode(running.origin, json.code))

    const signer = await createDeviceSigner({ service: preview.service ?? unknownId, now: () => running.clock.now() })
    const { status } = await createDeviceCalls(running.origin, signer).activate(json.code)
    expect(status).not.toBe(200)
    await expect(activateDevice(running.origin, running.clock, json.code)).rejects.toThrow(/./)
  })
})

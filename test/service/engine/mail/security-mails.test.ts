import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { mailLanguage } from '../../../../src/service/engine/mail/mail-language.ts'
import { securityMail } from '../../../../src/service/engine/mail/security-mail.ts'
import { mailRows } from '../../../../src/service/mail-rows.ts'
import { createSecurityMails } from '../../../../src/service/engine/mail/security-mails.ts'
import { createTestClock } from '../../../../src/testing/clock.ts'
import { random128 } from '../../../support/device-signer.ts'
import { describeInFullRun, inFullRun } from '../../../support/full-run.ts'
import { startMailServer } from '../../../support/mail-server.ts'
import type { MailServer } from '../../../support/mail-server.ts'
import { member, unique } from '../../features/codes/code-holder.ts'
import { read, startService } from '../../start-service.ts'
import type { Running } from '../../start-service.ts'

let server: MailServer
let running: Running

beforeAll(async () => {
  server = await startMailServer()
  running = await startService({ smtp: smtp() }, { emailOtpEnabled: true, bypassEnabled: true })
})
afterAll(async () => {
  await running.close()
  await server.close()
})

const smtp = () => ({ host: '127.0.0.1', port: server.port, from: 'mfa@example.com' })
const minute = 60

/** A user with an address. */
async function person({ on = running, language }: { on?: Running; language?: string } = {}) {
  const address = `${unique()}@example.com`
  const user = await member(on, { email: address, language })
  const guess = async (times: number) => {
    for (let i = 0; i < times; i++) await user.signIn({ otp: '000000' })
  }
  const mails = () => server.mails.filter(({ to }) => to.includes(address))
  const mailed = async (count: number) => {
    while (mails().length < count) await server.arrival()
    return mails()[count - 1]!
  }
  return { ...user, guess, mails, mailed }
}

const timeOf = (language: string, time: number) =>
  new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short', timeZone: 'UTC' }).format(time * 1000)

describe('a reported sign-in', () => {
  it('a reported sign-in is mailed to the user', async () => {
    const { user, device, ask, pending } = await running.enroll(unique())
    const address = `${unique()}@example.com`
    await running.call('PUT', `/users/${user.id}`, { body: { email: address, language: 'de-AT' } })
    await ask()
    const [request] = await pending()

    await device.answer(request!.id, { nonce: request!.nonce, decision: 'report' })
    while (!server.mails.some(({ to }) => to.includes(address))) await server.arrival()

    const { text, html } = server.mails.find(({ to }) => to.includes(address))!
    expect(text).toContain('Sie haben eine Anmeldung bei Domain gemeldet')
    expect(text).toContain(`Zeitpunkt: ${timeOf('de-AT', running.clock.now())} UTC`)
    expect(html).toContain('<html lang="de-AT" dir="ltr">')
  })
})

describe('locked codes', () => {
  it('locked codes are mailed once for each lock, and the mail says until when', async () => {
    const { guess, mails, mailed } = await person()
    await guess(9)
    expect(mails()).toEqual([])

    await guess(4)
    const first = await mailed(1)
    await running.clock.advance(15 * minute)
    await guess(10)
    const second = await mailed(2)

    expect([first, second].map(({ headers }) => headers.get('subject'))).toEqual(
      Array(2).fill('Your codes for Domain are locked'),
    )
    expect(first.text).toContain(`Codes work again on ${timeOf('en', running.clock.now())} UTC.`)
    expect(second.text).toContain(`Codes work again on ${timeOf('en', running.clock.now() + 30 * minute)} UTC.`)
    expect(mails()).toHaveLength(2)
  })

  inFullRun('locked codes are mailed also when only an administrator can unlock them', async () => {
    const { guess, mailed } = await person()
    for (const pause of [15, 30, 60, 120]) {
      await guess(10)
      running.clock.skip(pause * minute)
    }

    await guess(10)

    expect((await mailed(5)).text).toContain('Only your administrator can unlock them.')
  })
})

describe('mails about what an attacker can cause', () => {
  it('mails about what an attacker can cause do not use up the limit of mails about other events', async () => {
    const subjects: string[] = []
    const sendMail = async ({ subject }: { subject: string }) => void subjects.push(subject)
    const logger = { info() {}, warn() {}, error() {} }
    const clock = createTestClock()
    const mails = createSecurityMails({ rows: mailRows, mailer: { send: sendMail }, clock, logger })
    const event = {
      organization: 'Acme',
      domain: 'Wiki',
      at: clock.now(),
      language: null,
      timeZone: null,
      to: 'alice@example.com',
    }

    for (let times = 0; times < 6; times++) {
      mails.send('alice', { ...event, kind: 'codes_locked' })
      mails.send('alice', { ...event, kind: 'caller_denied' })
    }
    mails.send('alice', { ...event, kind: 'device_added' })
    mails.send('alice', { ...event, kind: 'bulk_started' })

    await expect.poll(() => subjects.length).toBe(12)
    expect(subjects.slice(-2)).toEqual(['A device was added at Wiki', 'Many users of Wiki are being changed'])
    await mails.close()
  })
})

describe('the language of a mail', () => {
  const subjects = (mails: readonly { headers: ReadonlyMap<string, string> }[]) =>
    mails.map(({ headers }) => headers.get('subject'))

  it('a mailed code is in the language of the call that sends it, which changes nothing for later mails', async () => {
    const { path, memberPath, mails, show } = await person({ language: 'fr' })
    const send = (more: object, headers = {}) =>
      running.call('POST', `${memberPath}/otp`, { body: { deliverableOTPType: 'EMAIL', ...more }, headers })
    await send({})
    await running.clock.advance(minute)
    // Version 1.3 has no language.
    await send({ language: 'es' }, { accept: 'application/vnd.service.v1+json' })
    await running.clock.advance(minute)
    const known = await show()

    await send({ language: 'pt-BR' })
    const { status, code } = await send({ language: 'not a language' })

    expect(subjects(mails())).toEqual([...Array(2).fill('Votre code pour Domain'), expect.stringMatching(/^=\?UTF-8/)])
    expect(mails()[2]!.text).toContain('Seu código para Domain')
    // An attacker with the password could otherwise choose it for the warnings.
    expect([known.language, (await show()).language]).toEqual(['fr', 'fr'])
    expect([status, code]).toEqual([400, 'api.error.malformed'])
    expect((await running.call('GET', path, { headers: { accept: '*/*' } })).json).not.toHaveProperty('language')
  })

  it('the language of a user’s mails is set with the user, changed later, and kept by an update without it', async () => {
    const body = { username: unique(), name: 'Alice', email: 'alice@example.com' }
    const { json: user } = await running.call('POST', '/users', { body: { ...body, language: 'ar' } })
    const put = async (changes: object) => (await running.call('PUT', `/users/${user.id}`, { body: changes })).json

    expect(user.language).toBe('ar')
    expect((await put({ language: 'ja-JP' })).language).toBe('ja-JP')
    expect((await put({ name: 'Bob' })).language).toBe('ja-JP')
    expect((await put({ language: null })).language).toBe('ja-JP')
  })
})

describeInFullRun('the option notify', () => {
  it('the option notify turns security mails off, and leaves mailed codes as they are', async () => {
    const quiet = await startService({ smtp: smtp(), notify: { mail: false } }, { emailOtpEnabled: true })
    const { guess, memberPath, mails } = await person({ on: quiet })

    await guess(10)
    await quiet.call('POST', `${memberPath}/otp`, { body: { deliverableOTPType: 'EMAIL' } })
    await quiet.close()

    expect(mails().map(({ headers }) => headers.get('subject'))).toEqual(['Your code for Domain'])
  })
})

describe('a mail about a change', () => {
  it('a mail about a change names the device, browser and place where the person confirmed it', async () => {
    const address = `${unique()}@example.com`
    const { user, device, sessions } = await running.enroll(unique())
    await running.call('PUT', `/users/${user.id}`, { body: { email: address } })
    const challenge = random128()
    const attributes = [
      { key: 'Place', value: 'Lyon, France' },
      { key: 'Browser', value: 'Firefox' },
      { key: 'System', value: 'Linux http://evil.example/' },
    ]
    const { json: session } = await running.call('POST', sessions, {
      body: { user: { id: user.id }, challenge, attributes, purpose: 'change_devices' },
    })
    const [request] = (await read(await device.inbox())).json.requests
    await device.answer(request.id, { nonce: request.nonce, decision: 'approve' })
    await running.call('POST', `${sessions}/${session.id}/redeem`, { body: { challenge } })

    const creation = await running.call('PUT', `/domains/${running.domain.id}/users/${user.id}/bypasscodes`, {
      body: { usesAllowed: 1, expirationTime: 0, pass: session.id },
    })
    while (!server.mails.some(({ to }) => to.includes(address))) await server.arrival()

    expect(creation.status).toBe(200)
    const { text } = server.mails.find(({ to }) => to.includes(address))!
    expect(text).toContain('New recovery codes were made')
    // What an attacker may have chosen becomes no link.
    expect(text).toContain('Browser: Firefox, Linux http evil example · Place: Lyon, France · By: you')
  })

  inFullRun('a mail about a change says that a recovery code was made for the person, and by whom', async () => {
    const recipient = await person()

    await running.call('POST', `/users/${recipient.id}/bypasscodes`, { body: { usesAllowed: 1, expirationTime: 60 } })

    const { text } = await recipient.mailed(1)
    expect(text).toContain('A recovery code was made for you')
    expect(text).toContain('By: the app')
  })

  it('a mail about a recovery code says that the help desk has made it', async () => {
    const language = await mailLanguage('en')

    const mail = await securityMail({
      kind: 'codes_made',
      handedOver: true,
      facts: { by: 'help_desk' },
      organization: 'Acme',
      domain: 'Wiki',
      timeZone: null,
      at: 0,
      language: 'en',
    })

    expect(language.words.facts.authors.help_desk).toBe('the help desk')
    expect(mail.subject).toBe('The help desk made a recovery code for you at Wiki')
    expect(mail.text).toContain('By: the help desk')
  })
})

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { mainEngines, useEngine } from '../../../support/engines.ts'
import { inFullRun } from '../../../support/full-run.ts'
import { startMailServer } from '../../../support/mail-server.ts'
import type { MailServer, ReceivedMail } from '../../../support/mail-server.ts'
import { quickFetch } from '../../../support/quick-fetch.ts'
import { entriesOf } from '../../engine/audit/recorded.ts'
import { bypassCodeOf, unique } from '../codes/code-holder.ts'
import { administrator, startConsole } from '../administrators/console-holder.ts'
import type { Console } from '../administrators/console-holder.ts'
import { activateDevice } from '../../start-service.ts'

const day = 24 * 60 * 60

describe.each(mainEngines)('the link "This wasn’t me" of a mail on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let mail: MailServer
  let running: Console
  let otherDomain: string
  const owner = `owner.${unique()}@example.com`

  beforeAll(async () => {
    mail = await startMailServer()
    running = await startConsole(await newDatabase(), {
      smtp: { host: '127.0.0.1', port: mail.port, from: 'mfa@example.com' },
      authenticatorUrl: 'https://mfa.example/portal/authenticator',
    })
    await administrator(running, { role: 'owner', email: owner })
    otherDomain = (await running.service.administration.createDomain(running.organization.id, { name: 'Other' })).id
  })
  afterAll(async () => {
    await running.close()
    await mail.close()
  })
  beforeEach(() => running.clock.skip(600))

  const mailsTo = (address: string) => mail.mails.filter(({ to }) => to.includes(address))
  async function mailTo(address: string, count = 1): Promise<ReceivedMail> {
    while (mailsTo(address).length < count) await mail.arrival()
    return mailsTo(address)[count - 1]!
  }
  const open = async (path: string, method = 'GET', headers = {}) => {
    const response = await quickFetch(running.origin + path, { method, headers })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  const linkIn = ({ text }: ReceivedMail): string =>
    /https:\/\/mfa\.example\/portal(\/not-me\/\S+)/.exec(text)?.[1] ?? ''

  /** A person in two domains with a device, a kept browser and a recovery code, of which a mail has told. */
  async function told({ language }: { language?: string } = {}) {
    const enrolled = await running.enroll(unique())
    const { id } = enrolled.user
    const email = `${unique()}@example.com`
    await running.call('PUT', `/users/${id}`, { body: { email, language } })
    await running.call('PUT', `/domains/${otherDomain}/users/${id}`)
    const { json: token } = await running.call('PUT', `/domains/${otherDomain}/users/${id}/token`)
    await activateDevice(running.origin, running.clock, token.code)
    const { db } = running.ctx.store
    const now = running.clock.now()
    const keptColumns = {
      publicKey: 'key',
      keptSince: now,
      keptUntil: now + day,
      knownSince: now,
      passedAt: now,
      expiresAt: now + day,
    }
    await db
      .insertInto('knownBrowser')
      .values({
        ...keptColumns,
        idHash: unique(),
        domainId: running.domain.id,
        userId: id,
        factors: '',
        name: 'Firefox',
        place: null,
        rememberedUntil: null,
      })
      .execute()
    await bypassCodeOf(running, id)
    const isAboutCode = ({ text }: ReceivedMail) => /code/i.test(text)
    while (!mailsTo(email).some(isAboutCode)) await mail.arrival()
    const received = mailsTo(email).find(isAboutCode)!
    return {
      ...enrolled,
      id,
      received,
      link: linkIn(received),
      epoch: async () => (await db.selectFrom('user').select('epoch').where('id', '=', id).executeTakeFirst())?.epoch,
      browsers: () => db.selectFrom('knownBrowser').select('idHash').where('userId', '=', id).execute(),
      factors: async () => ({ ...(await running.call('GET', `/users/${id}`)).json, epoch: '' }),
      ask: async (domain = running.domain.id) =>
        (await running.call('POST', `/domains/${domain}/sessions`, { body: { user: { id } } })).status,
      reported: async () =>
        (await entriesOf(db)).filter(({ event, facts }) => event === 'user.mail_reported' && facts['user'] === id),
    }
  }

  it('the report link of a mail pauses requests in every app, ends web sessions and notifies the owners', async () => {
    const { user, link, epoch, ask, reported } = await told()
    const before = await epoch()
    const mails = mailsTo(owner).length

    const answer = await open(link, 'POST')

    expect([answer.status, answer.headers.get('location')]).toEqual([303, `./${link.split('/').at(-1)}`])
    expect(await epoch()).not.toBe(before)
    expect([await ask(), await ask(otherDomain)]).toEqual([429, 429])
    const { text } = await mailTo(owner, mails + 1)
    expect(text).toContain(user.username)
    expect(text).not.toContain('not-me')
    expect(await reported()).toMatchObject([{ address: '127.0.0.1', actor: { kind: 'service' } }])
    await running.clock.advance(15 * 60)
    expect(await ask()).toBe(200)
  })

  it('the report link of a mail removes neither factors nor kept browsers', async () => {
    const { link, factors, browsers } = await told()
    const before = await factors()

    await open(link, 'POST')

    expect(await factors()).toEqual(before)
    expect(await browsers()).toHaveLength(1)
  })

  it.each(['GET', 'HEAD'])(
    'a %s of the report link changes nothing, because mail programs follow links',
    async (method) => {
      const { link, epoch, ask, reported } = await told()
      const before = await epoch()

      const { status, headers, text } = await open(link, method)

      expect(status).toBe(200)
      expect([headers.get('cache-control'), headers.get('referrer-policy')]).toEqual(['no-store', 'no-referrer'])
      expect(headers.get('content-security-policy')).toContain("default-src 'none'")
      expect(text.includes('<h1>Was this you?</h1>')).toBe(method === 'GET')
      expect(await epoch()).toBe(before)
      expect(await ask()).toBe(200)
      expect(await reported()).toEqual([])
    },
  )

  inFullRun('the page of a report link repeats what the mail said, in the language of the user', async () => {
    const { link, received } = await told({ language: 'de-AT' })

    const { text } = await open(link, 'GET', { 'accept-language': 'ja' })

    expect(received.text.replaceAll('\r', '')).toContain(`Das war ich nicht:\nhttps://mfa.example/portal${link}`)
    expect(text).toContain('<html lang="de-AT" dir="ltr">')
    expect(text).toContain(received.text.split('\r\n')[0])
  })

  it('the report link of a mail acts once, even when it is submitted many times at once', async () => {
    const { link, epoch, reported } = await told()

    const answers = await Promise.all(Array.from({ length: 5 }, () => open(link, 'POST')))
    const after = await epoch()
    await open(link, 'POST')

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([303]))
    expect(await reported()).toHaveLength(1)
    expect(await epoch()).toBe(after)
    expect((await open(link)).text).toContain('Your administrator was told')
  })

  it('the report link of a mail works for seven days', async () => {
    const [early, late] = [await told(), await told()]
    const before = await late.epoch()
    running.clock.skip(7 * day - 60)
    const inTime = await open(early.link)
    running.clock.skip(60)

    const answer = await open(late.link, 'POST')
    const page = await open(late.link, 'GET', { 'accept-language': 'sv, de;q=0.1, fr;q=0.5' })

    expect(inTime.status).toBe(200)
    expect([answer.status, page.status]).toEqual([303, 404])
    expect(page.text).toContain('Ce lien ne fonctionne plus')
    expect(await late.epoch()).toBe(before)
  })

  it.each(['/not-me', '/not-me/', '/not-me/short', `/not-me/${'x'.repeat(43)}`, `/not-me/${'x'.repeat(43)}/more`])(
    'a malformed or unknown report link is not found: %s',
    async (path) => {
      const { status, text } = await open(path)

      expect([status, text.includes('This link no longer works')]).toEqual([404, true])
    },
  )

  it('the service stores the report link of a mail only as a hash', async () => {
    const { link, id } = await told()
    const rows = await running.ctx.store.db.selectFrom('mailReport').selectAll().where('userId', '=', id).execute()

    expect(rows).not.toEqual([])
    expect(JSON.stringify(rows)).not.toContain(link.split('/').at(-1))
  })

  inFullRun('the report link of a mail stops working when its user is deleted', async () => {
    const { link, id } = await told()

    const { status } = await running.call('DELETE', `/users/${id}`)

    expect([status, (await open(link, 'POST')).status, (await open(link)).status]).toEqual([200, 303, 404])
  })

  inFullRun('a mail about what the user has reported contains no report link', async () => {
    const { id, received, pending, device } = await told()
    await running.call('POST', `/domains/${running.domain.id}/sessions`, { body: { user: { id } } })
    const [request] = await pending()

    await device.answer(request!.id, { nonce: request!.nonce, decision: 'report' })

    expect(linkIn(await mailTo(received.to[0]!, 3))).toBe('')
  })
})

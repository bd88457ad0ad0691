import cookie from '@fastify/cookie'
import formbody from '@fastify/formbody'
import session from '@fastify/session'
import express4 from 'express4'
import createFastify from 'fastify'
import { mfa as fastifyMfa, requireApproval as requireApprovalOnFastify } from 'second-factor/fastify'
import { describe, expect, it, onTestFinished } from 'vitest'

import type { RequestOptions } from '../../src/contract/webauthn.ts'
import { embedded } from '../../src/service/embedded.ts'
import { createTestPasskey } from '../../src/testing/test-passkey.ts'
import { createWatchedClock, quickHash } from '../service/start-service.ts'
import { answerApproval, inboxOf } from '../support/approving-device.ts'
import { createBrowser } from '../support/browser.ts'
import { describeInFullRun, inFullRun } from '../support/full-run.ts'
import { people } from '../support/web-app.ts'
import { fieldsOn, headlineOf, numberOn, postJson, startBank } from './approving-app.ts'

const transfer = { to: 'anna', amount: '250' }

describeInFullRun('requireApproval() and the protection of the app', () => {
  it('requireApproval() sends the CSRF token of the app again, which checks both requests', async () => {
    const checked: unknown[] = []
    const bank = await startBank({
      before: [
        (req, res, next) => {
          checked.push(req.body.csrf)
          if (req.body.csrf === 'token') return next()
          return res.status(403).send('no token')
        },
      ],
    })
    const { browser, account } = await bank.signedIn()

    const withoutToken = await browser.submit('/transfer', transfer)
    const page = await browser.submit('/transfer', { ...transfer, csrf: 'token' })
    await bank.answer(account, 'approve', numberOn(page))
    const done = await browser.submit('/transfer', Object.fromEntries(fieldsOn(page)))

    expect(withoutToken.text).toBe('no token')
    expect(done.text).toBe('sent Transfer 250')
    expect(checked).toEqual([undefined, 'token', 'token'])
    expect(page.headers['referrer-policy']).toBe('same-origin')
  })
})

describeInFullRun('requireApproval() and passkeys', () => {
  /** Alice, who has a passkey and no device, and has passed the second step with it. */
  async function withPasskey() {
    const origin = 'http://localhost:3000'
    const bank = await startBank({ mfa: { publicUrl: origin } })
    const user = await bank.client.users.create({ username: 'alice', name: 'alice', email: 'person@example.com' })
    await bank.client.domains.addUser(bank.domainId, user.id)
    const passkey = await createTestPasskey({ client: bank.client, domainId: bank.domainId }, user.id, origin)
    const browser = bank.browser()
    await bank.signIn(browser, 'alice')
    await browser.visit('/mfa')
    const use = async (path: string) => {
      const options = JSON.parse((await browser.submit(`${path}/options`)).text) as RequestOptions
      return browser.submit(path, { response: JSON.stringify(passkey.use(options)) })
    }
    await use('/mfa/passkey')
    return { bank, browser, use }
  }

  it('requireApproval() lets a user without a device approve with a passkey on its page', async () => {
    const { bank, browser, use } = await withPasskey()

    const page = await browser.submit('/transfer', transfer)
    const [, base = ''] = /id="passkey" data-base="([^"]+)"/.exec(page.text) ?? []
    const wrong = await browser.submit(`${base}/passkey`, { response: '{}' })
    const right = await use(`${base}/passkey`)
    const done = await browser.submit('/transfer', transfer)

    expect(page.text).not.toContain('id="number"')
    expect([wrong.status, right.status]).toEqual([403, 200])
    expect(done.text).toBe('sent Transfer 250')
    expect(bank.runs).toHaveLength(1)
  })

  it('requireApproval() tells a script to lead a user without a device to the page, and of no number', async () => {
    const { browser } = await withPasskey()

    const { body } = await postJson(browser, '/transfer', transfer)

    expect(body).toMatchObject({ error: 'approval_required', message: expect.stringContaining('"page"') })
    expect(body.message).not.toContain('number')
    expect(body.approval).not.toHaveProperty('number')
  })

  it('requireApproval() says that a device is missing where the user has none, and no passkey', async () => {
    const bank = await startBank()
    const { browser } = await bank.signedIn()
    const { id } = await bank.client.users.getByUsername('alice')
    await bank.client.tokens.revoke(bank.domainId, id)

    const page = await browser.submit('/transfer', transfer)

    expect(headlineOf(page)).toBe('Set up a device first')
    expect(page.text).toContain('href="/mfa/devices"')
    expect(bank.events.at(-1)).toMatchObject({ type: 'approval.not_asked', reason: 'no_device' })
  })
})

describe('requireApproval() on other frameworks', () => {
  it('requireApproval() works on Express 4, where a body that is not parsed is an empty object', async () => {
    const bank = await startBank({ express: express4, parse: express4.urlencoded({ extended: false }) })
    const { browser, account } = await bank.signedIn()

    const page = await browser.submit('/transfer', transfer)
    await bank.answer(account, 'approve', numberOn(page))
    const done = await browser.submit('/transfer', Object.fromEntries(fieldsOn(page)))
    const unread = await postJson(browser, '/form-only', transfer)

    expect(done.text).toBe('sent Transfer 250')
    expect(unread.text).toContain('not parsed yet')
  })

  inFullRun('requireApproval() works on Fastify', async () => {
    const clock = createWatchedClock()
    const service = embedded({ database: ':memory:', clock, pinHashCost: quickHash })
    const app = createFastify()
    const runs: unknown[] = []
    await app.register(cookie)
    await app.register(formbody)
    await app.register(session, { secret: 's'.repeat(32), saveUninitialized: false, cookie: { secure: false } })
    await app.register(fastifyMfa, {
      service,
      clock,
      user: (request) => (request.session as { user?: { username: string } }).user,
      provision: true,
      recoveryCodes: false,
      logger: { info() {}, warn() {}, error() {} },
    })
    app.post('/login', (request, reply) => {
      Object.assign(request.session, { user: { username: (request.body as { username: string }).username } })
      return reply.redirect('/account', 303)
    })
    const action = requireApprovalOnFastify(({ body }) => ({ title: `Transfer ${(body as typeof transfer).amount}` }))
    app.post('/transfer', { preHandler: action }, (request) => {
      runs.push(request.mfa?.approval?.id)
      return 'sent'
    })
    app.addContentTypeParser('application/octet-stream', (_request, _payload, done) => done(null))
    app.post('/stream', { preHandler: requireApprovalOnFastify(() => ({ title: 'Upload' })) }, () => 'uploaded')
    app.get('/account', () => 'in')
    const url = await app.listen({ host: '127.0.0.1', port: 0 })
    onTestFinished(async () => {
      await app.close()
      await service.close()
    })
    const { verify } = people(url, clock)
    const browser = createBrowser(url)
    const account = await verify(browser, 'alice')

    const page = await browser.submit('/transfer', transfer)
    const [approval] = (await inboxOf(clock, account)).approvals ?? []
    if (!approval) throw new Error(`nothing was asked: ${page.status} ${page.text}`)
    await answerApproval(clock, account, approval, { decision: 'approve', number: numberOn(page) })
    const changed = await browser.submit('/transfer', { ...transfer, to: 'mallory' })
    const done = await browser.submit('/transfer', Object.fromEntries(fieldsOn(page)))

    const ofStream = {
      accept: 'text/html',
      'content-type': 'application/octet-stream',
      'sec-fetch-site': 'same-origin',
    }
    const unread = await browser.send('POST', '/stream', ofStream, 'bytes')

    expect(headlineOf(changed)).toBe('Approve this action')
    expect([unread.status, unread.text]).toEqual([500, expect.stringContaining('not parsed yet')])
    expect(done.text).toBe('sent')
    expect(runs).toEqual([approval.id])
  })
})

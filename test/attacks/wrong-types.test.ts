import express from 'express'
import session from 'express-session'
import { mfa } from 'second-factor'
import type { MfaOptions } from 'second-factor'
import request from 'supertest'
import { describe, expect, it, onTestFinished } from 'vitest'

import { serializeState } from '../../src/express/session/stored-state.ts'
import { inFullRun } from '../support/full-run.ts'
import { numberOn, startWebApp } from '../support/web-app.ts'

/** A service that is never asked. */
const service = { baseUrl: 'http://127.0.0.1:9/api', apiKey: 'k'.repeat(64), domainId: 'd'.repeat(40) }

/** An app whose `user` gives what its types forbid. */
function appOf(user: unknown) {
  const app = express()
  app.use(session({ secret: 'test', resave: false, saveUninitialized: false }))
  app.use(mfa({ service, authenticatorUrl: 'https://mfa.example', user: (() => user) as MfaOptions['user'] }))
  app.use((_req, res) => void res.send('reached'))
  app.use((error: Error, _req: express.Request, res: express.Response, _next: express.NextFunction) => {
    res.status(500).send(error.message)
  })
  return app
}

describe('values of a wrong type', () => {
  it.each([
    [{ id: 7 }],
    [{ serviceUserId: ['a'.repeat(40)] }],
    [{ username: 7 }],
    [{ username: ['alice'] }],
    [{ username: { toString: () => 'alice' } }],
    [{ username: null }],
    [{ serviceUserId: { $ne: null } }],
    ['alice'],
    [['alice']],
    [true],
    [7],
  ])('a user of a wrong type, %j, is an error and never a pass', async (user) => {
    const answer = await request(appOf(user)).get('/anything')

    expect(answer.status).toBe(500)
    expect(answer.text).toContain('user(req) returned a user with a mistake')
  })

  inFullRun.each([
    ['an array', { code: ['123456'] }],
    ['an object', { code: { length: 6, toString: '123456' } }],
    ['a number', { code: 123456 }],
    ['nothing', {}],
    ['a body that is an array', [{ code: '123456' }]],
    ['a token that is an array', { code: '123456', page: ['x'] }],
  ])('a code of a wrong type, %s, verifies nobody and crashes nothing', async (_, body) => {
    const app = await startWebApp({ before: [express.json(), express.urlencoded({ extended: true })] })
    const browser = app.browser()
    await app.enroll(browser, 'alice')

    const answer = await request(app.url)
      .post('/mfa/code')
      .set({ cookie: `connect.sid=${browser.cookie('connect.sid')}`, 'sec-fetch-site': 'same-origin' })
      .send(body)
      .redirects(0)

    expect(answer.headers['location']).toBe('/mfa?use=code')
    expect((await browser.fetch('/account')).status).toBe(403)
  })

  inFullRun.each([
    '?page[]=x',
    '?page=x&page=y',
    '?page[__proto__]=x',
    '?use[]=code',
    '?returnTo[]=/x',
    '?returnTo=/x&returnTo=//evil.example',
    '?purpose[]=step_up',
    '?factors[]=push&factors=constructor,__proto__',
    '?spent[]=x&early=x&still[]=x',
    '?%E0%A4%A=x',
    '?__proto__[verified]=x',
    '?constructor[prototype][verified]=x',
  ])('a wrong type in the address, %s, verifies nobody and crashes nothing', async (query) => {
    const app = await startWebApp()
    app.settings.set('query parser', 'extended')
    const browser = app.browser()
    const { account, page } = await app.enroll(browser, 'alice')
    await app.answer(account, 'approve', numberOn(page))

    const answer = await browser.open(`/mfa${query}`)

    expect([200, 303]).toContain(answer.status)
    expect((await browser.fetch('/account')).status).toBe(403)
  })

  it('values from a polluted prototype verify nobody', async () => {
    // With `failMode` a web session can say that it was let through.
    const app = await startWebApp({ mfa: { failMode: () => false } })
    const browser = app.browser()
    await app.enroll(browser, 'alice')
    const fresh = app.browser()
    await app.signIn(fresh, 'alice')
    const userKey = 'username:alice'
    const record = { at: app.clock.now(), factor: 'push', purpose: 'sign_in', userKey } as const
    const { verified } = serializeState({ verified: record })
    const letThrough = { userKey, until: app.clock.now() + 100 }
    const pollution = { verified, letThrough, mfa: { verified, letThrough } }
    onTestFinished(() => {
      for (const name of Object.keys(pollution)) Reflect.deleteProperty(Object.prototype, name)
    })

    for (const [name, value] of Object.entries(pollution)) {
      // oxlint-disable-next-line no-extend-native -- as an attacker does through a careless merge
      Object.defineProperty(Object.prototype, name, { value, configurable: true, writable: true })
    }

    for (const each of [browser, fresh]) {
      expect((await each.fetch('/account')).status).toBe(403)
      expect((await each.fetch('/danger')).status).toBe(403)
    }
  })
})

import express from 'express'
import express4 from 'express4'
import session from 'express-session'
import { Secret, TOTP } from 'otpauth'
import { Passport } from 'passport'
import request from 'supertest'
import { requireMfa } from 'second-factor'
import type { MfaOptions } from 'second-factor'
import { MfaStrategy } from 'second-factor/passport'
import type { MfaStrategyOptions } from 'second-factor/passport'
import { describe, expect, it } from 'vitest'

import type { Browser } from '../support/browser.ts'
import { addMember } from '../support/added-member.ts'
import { describeInFullRun, inFullRun } from '../support/full-run.ts'
import { startWebApp } from '../support/web-app.ts'
import type { WebApp, WebAppOptions } from '../support/web-app.ts'

interface Given {
  /** Of passport.authenticate('mfa'). */
  readonly authenticate?: object
  readonly strategy?: MfaStrategyOptions
  readonly app?: WebAppOptions
}

/** An app with a page of its own for codes; Passport alone decides. */
function startCodeApp({ authenticate = {}, strategy = {}, app: options = {} }: Given = {}) {
  return startWebApp({
    ...options,
    mfa: { gate: false, ...options.mfa },
    routes(app, passport) {
      passport.use(new MfaStrategy(strategy))
      app.use(express.urlencoded({ extended: true }), express.json())
      app.post('/second-step', passport.authenticate('mfa', authenticate), (req, res) => {
        const { basket } = req.query
        if (basket !== undefined) Object.assign(req.session, { basket })
        res.json({ reached: true, authInfo: req.authInfo, mfa: req.mfa, user: req.user })
      })
      app.get('/session', (req, res) => {
        const { cookie: _cookie, ...data } = req.session as unknown as Record<string, unknown>
        res.json({ sessionId: req.sessionID, data })
      })
      app.post('/basket', (req, res) => {
        Object.assign(req.session, req.body)
        res.json({})
      })
      app.post('/both', passport.authenticate('local'), passport.authenticate('mfa'), requireMfa(), (req, res) => {
        res.json({ authInfo: req.authInfo })
      })
      const once = passport.authenticate('local', { session: false })
      app.post('/as-bob', once, passport.authenticate('mfa'), (req, res) => void res.json({ authInfo: req.authInfo }))
      app.post('/callback', (req, res, next) => {
        const respond = (error: unknown, user: unknown, info: unknown, status: unknown) =>
          res.json({
            error: (error as Error | null)?.message,
            errorStatus: (error as { status?: number } | null)?.status,
            user,
            info,
            status,
          })
        ;(passport.authenticate('mfa', respond) as express.RequestHandler)(req, res, next)
      })
    },
  })
}

/** A user who has entered the right password and has bypass codes. */
async function signedIn(app: WebApp, username = 'alice') {
  const { client, id } = await addMember(app.service, username)
  const browser = app.browser()
  await app.signIn(browser, username)
  const code = async () => (await client.bypassCodes.create(id, { usesAllowed: 1, expirationTime: 60 })).code ?? ''
  return { browser, code }
}

const sessionOf = async (browser: Browser) => (await browser.fetch('/session')).body
const isIn = async (browser: Browser) => (await browser.fetch('/account')).body.verified as boolean

describeInFullRun('a code of an app that another system made', () => {
  it('a posted code imports the factors that the app has, and verifies the web session', async () => {
    const totp = new TOTP({ secret: new Secret({ size: 20 }) })
    const types: string[] = []
    const importFactors = () => ({ otpauth: totp.toString() })
    const app = await startCodeApp({ app: { mfa: { importFactors, onEvent: ({ type }) => void types.push(type) } } })
    const { client, id } = await addMember(app.service, 'alice')
    const browser = app.browser()
    await app.signIn(browser, 'alice')

    const code = totp.generate({ timestamp: app.clock.now() * 1000 })
    const { status, body } = await browser.submit('/second-step', { code })

    expect([status, body.authInfo?.mfa.factor]).toEqual([200, 'otp'])
    expect(types).toContain('factors.imported')
    expect(await client.users.get(id)).toMatchObject({ everEnrolled: true, importState: 'closed' })
  })
})

describe("a code posted to passport.authenticate('mfa')", () => {
  it.each([
    ['once where nothing changes afterwards', '/second-step', 1],
    ['again with what the app changes afterwards', '/second-step?basket=book', 2],
  ])('a posted code stores the web session under its last id %s', async (_, path, times) => {
    const store = new session.MemoryStore()
    const stored: string[] = []
    const set = store.set.bind(store)
    store.set = (id, data, done) => {
      stored.push(id)
      set(id, data, done)
    }
    const app = await startCodeApp({ app: { session: { store } } })
    const { browser, code } = await signedIn(app)

    await browser.submit(path, { code: await code() })

    const { sessionId, data } = await sessionOf(browser)
    expect(await isIn(browser)).toBe(true)
    expect(data.basket).toBe(times === 1 ? undefined : 'book')
    expect(stored.filter((id) => id === sessionId)).toHaveLength(times)
  })

  inFullRun.each([
    ['5', express],
    ['4', express4],
  ])('a posted code passes when it is correct, and reports time and factor, in Express %s', async (_, version) => {
    const app = await startCodeApp({ app: { express: version } })
    const { browser, code } = await signedIn(app)

    const answer = await browser.submit('/second-step', { code: await code() })

    const verified = { at: app.clock.now(), factor: 'bypass' }
    expect(answer.body).toMatchObject({ reached: true, authInfo: { mfa: verified }, mfa: { verified } })
    expect(await isIn(browser)).toBe(true)
  })

  it.each([
    ['leads to the page', { 'sec-fetch-mode': 'navigate' }, 303, '/mfa'],
    ['is refused to a script', { 'sec-fetch-mode': 'cors' }, 403, undefined],
  ])(
    'a posted code %s where another tab has given the web session a new id meanwhile',
    async (_, headers, status, location) => {
      const held = Promise.withResolvers<void>()
      const arrived = Promise.withResolvers<void>()
      const hold: express.RequestHandler = (req, _res, next) => {
        if (req.headers['x-held'] === undefined) return next()
        arrived.resolve()
        void held.promise.then(() => next())
      }
      const app = await startCodeApp({ app: { beforeMfa: [hold] } })
      const { browser, code } = await signedIn(app)
      await browser.submit('/second-step', { code: await code() })
      const late = browser.copy().submit('/second-step', { code: await code() }, { ...headers, 'x-held': 'yes' })
      await arrived.promise
      await browser.submit('/second-step', { code: await code() })

      held.resolve()
      const answer = await late

      expect(answer.status).toBe(status)
      expect(answer.headers['location']).toBe(location)
      expect(answer.cookies).toEqual([])
      expect(await isIn(browser)).toBe(true)
    },
  )

  inFullRun('a posted code gives the web session a new id, and keeps the data of the login', async () => {
    const app = await startCodeApp()
    const { browser, code } = await signedIn(app)
    await browser.submit('/basket', { basket: 'apples' })
    const planted = browser.copy()
    const sessionBefore = await sessionOf(browser)

    await browser.submit('/second-step', { code: await code() })

    const sessionAfter = await sessionOf(browser)
    expect(sessionAfter.sessionId).not.toBe(sessionBefore.sessionId)
    expect(sessionAfter.data.basket).toBe('apples')
    expect(await isIn(planted)).toBe(false)
  })

  inFullRun.each([
    ['session: false', { session: false }],
    ['keepSessionInfo: true', { keepSessionInfo: true }],
    ['assignProperty', { assignProperty: 'approver' }],
    ['authInfo: false', { authInfo: false }],
  ])('a posted code verifies the web session just as well with %s', async (_, authenticate) => {
    const app = await startCodeApp({ authenticate })
    const { browser, code } = await signedIn(app)

    const answer = await browser.submit('/second-step', { code: await code() })

    expect(answer.body.reached).toBe(true)
    expect(await isIn(browser)).toBe(true)
  })

  inFullRun.each([
    ['wrong', '000000', 'wrong_code', "That code didn't work"],
    ['no code at all', 'hunter2', 'no_code', 'A code has 6 to 9 digits'],
    ['empty', '', 'no_code', 'A code has 6 to 9 digits'],
  ])('a posted code that is %s fails with 401, and a callback gets the reason', async (_, code, reason, words) => {
    const app = await startCodeApp()
    const { browser } = await signedIn(app)

    const answer = await browser.submit('/second-step', { code })
    const callbackAnswer = await browser.submit('/callback', { code })

    expect([answer.status, answer.text]).toEqual([401, 'Unauthorized'])
    expect(callbackAnswer.body).toMatchObject({ user: false, status: 401, info: { reason } })
    expect(callbackAnswer.body.info.message).toContain(words)
    expect(await isIn(browser)).toBe(false)
  })

  inFullRun.each([
    ['a list', 'code[]=123456'],
    ['an object', 'code[a]=123456'],
  ])('a posted field that is %s counts as no code', async (_, body) => {
    const app = await startCodeApp()
    const { browser } = await signedIn(app)
    const fields = Object.fromEntries(new URLSearchParams(body))

    expect((await browser.submit('/callback', fields)).body.info.reason).toBe('no_code')
    expect(await isIn(browser)).toBe(false)
  })

  inFullRun(
    'a posted code fails with 429 while codes are paused, with the time for users and for programs',
    async () => {
      const app = await startCodeApp()
      const { browser, code } = await signedIn(app)
      for (let guess = 0; guess < 5; guess++) await browser.submit('/second-step', { code: '000000' })

      const right = await code()
      const answer = await browser.submit('/second-step', { code: right })
      const { info, status } = (await browser.submit('/callback', { code: right })).body

      expect(answer.status).toBe(429)
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
      expect(status).toBe(429)
      expect(info).toMatchObject({ reason: 'codes_paused', until: expect.any(Number) })
      expect(info.message).toContain('Codes work again in')
      expect(await isIn(browser)).toBe(false)
    },
  )

  it('a posted code is checked for verified users, too: a wrong one fails, and they stay verified', async () => {
    const app = await startCodeApp()
    const { browser, code } = await signedIn(app)
    await browser.submit('/second-step', { code: await code() })
    await app.clock.advance(100)

    const wrong = await browser.submit('/second-step', { code: '000000' })
    expect(wrong.status).toBe(401)
    expect(await isIn(browser)).toBe(true)

    const right = await browser.submit('/second-step', { code: await code() })
    expect(right.body.authInfo.mfa.at).toBe(app.clock.now())
  })

  inFullRun('a posted code of another user does not count', async () => {
    const app = await startCodeApp()
    const [alice, bob] = [await signedIn(app), await signedIn(app, 'bob')]

    expect((await bob.browser.submit('/second-step', { code: await alice.code() })).status).toBe(401)
    expect(await isIn(bob.browser)).toBe(false)
  })

  it('a posted code fails for signed-out users', async () => {
    const app = await startCodeApp()

    const callbackAnswer = await app.browser().submit('/callback', { code: '123456' })

    expect(callbackAnswer.body).toMatchObject({ status: 401, info: { reason: 'sign_in_first' } })
  })

  it('a posted code may come with the password, in one form', async () => {
    const app = await startCodeApp()
    const { code } = await signedIn(app)
    const browser = app.browser()

    const wrong = await browser.submit('/both', { username: 'alice', password: 'secret', code: '000000' })
    const right = await browser.submit('/both', { username: 'alice', password: 'secret', code: await code() })

    expect(wrong.status).toBe(401)
    expect(right.body.authInfo.mfa.factor).toBe('bypass')
    expect(await isIn(browser)).toBe(true)
  })

  inFullRun('a posted code does not verify the web session of the user that the login replaced', async () => {
    const app = await startCodeApp()
    const [alice, bob] = [await signedIn(app), await signedIn(app, 'bob')]
    await alice.browser.submit('/basket', { basket: 'of alice' })

    await alice.browser.submit('/both', { username: 'bob', password: 'secret', code: await bob.code() })

    const { user, verified } = (await alice.browser.fetch('/account')).body
    expect([user.username, verified]).toEqual(['bob', true])
    expect((await sessionOf(alice.browser)).data.basket).toBeUndefined()
  })

  it.each<[string, Record<string, string>]>([
    ['from another site', { 'sec-fetch-site': 'cross-site' }],
    ['from another origin, by an older browser', { origin: 'https://evil.example' }],
    ['that says not from where', {}],
  ])('a posted code %s is not checked, and uses up no try', async (_, headers) => {
    const events: string[] = []
    const app = await startCodeApp({ app: { mfa: { onEvent: ({ type }) => void events.push(type) } } })
    const { browser, code } = await signedIn(app)
    const right = await code()
    const cookie = `connect.sid=${browser.cookie('connect.sid')}`

    const post = request(app.url).post('/second-step').type('form').send({ code: right })
    const answer = await post.set({ cookie, ...headers })

    expect(answer.status).toBe(403)
    expect(events).toEqual(['post.refused'])
    expect((await browser.submit('/second-step', { code: right })).status).toBe(200)
  })

  inFullRun(
    'codeField names the form or JSON field of the posted code; false sends all users to the challenge',
    async () => {
      const named = await startCodeApp({ strategy: { codeField: 'otp' } })
      const never = await startCodeApp({ strategy: { codeField: false } })
      const { browser, code } = await signedIn(named)
      const other = await signedIn(never)

      expect((await browser.submit('/second-step', { code: await code() })).headers['location']).toBe('/mfa')
      const byJson = await request(named.url)
        .post('/second-step')
        .set({ cookie: browser.cookies(), 'sec-fetch-site': 'same-origin' })
        .send({ otp: await code() })
      expect(byJson.body.reached).toBe(true)
      const { browser: bob, code: codeOfBob } = await signedIn(named, 'bob')
      expect((await bob.submit('/second-step', { otp: await codeOfBob() })).body.reached).toBe(true)
      expect((await other.browser.submit('/second-step', { code: '123456' })).headers['location']).toBe('/mfa')
    },
  )

  it('a posted code of a user whom the service does not know leads to the challenge page', async () => {
    const app = await startCodeApp()
    const browser = app.browser()
    await app.signIn(browser, 'alice')

    const answer = await browser.submit('/second-step', { code: '123456' })

    expect([answer.status, answer.headers['location']]).toEqual([303, '/mfa'])
    expect((await browser.visit('/mfa')).text).toContain('#code=')
    expect(app.trouble).toEqual([])
  })

  it('a posted code is an error with status 503 if the service does not respond, never a pass', async () => {
    const down = { baseUrl: 'http://127.0.0.1:9/api', apiKey: 'k'.repeat(64), domainId: 'd' }
    const app = await startCodeApp({ app: { mfa: { service: down } } })
    const browser = app.browser()
    await app.signIn(browser, 'alice')

    const callbackAnswer = await browser.submit('/callback', { code: '123456' })

    expect(callbackAnswer.body.errorStatus).toBe(503)
    expect(callbackAnswer.body.error).toBe('The second step is unavailable.')
    expect(callbackAnswer.body.user).toBeUndefined()
    expect(app.trouble.join()).toContain('service gone')
    expect(await isIn(browser)).toBe(false)
  })
})

describeInFullRun('a posted code that nothing could be decided about', () => {
  it.each<[string, Given['app'], string]>([
    [
      'importFactors fails',
      { mfa: { importFactors: () => Promise.reject(new Error('the database is down')) } },
      'not_imported',
    ],
    [
      'the web session is not stored',
      {
        beforeMfa: [
          ({ path, session: current }, _res, next) => {
            if (path === '/callback') current.regenerate = (done) => (done(new Error('the store is down')), current)
            next()
          },
        ],
      },
      'not_stored',
    ],
  ])('a posted code is an error with status 503, told to the app, if %s', async (_, options, reason) => {
    const events: unknown[] = []
    const onEvent: MfaOptions['onEvent'] = (event) => {
      if (event.type === 'service.unavailable') events.push(event.reason)
    }
    const app = await startCodeApp({ app: { ...options, mfa: { ...options?.mfa, onEvent } } })
    const { browser, code } = await signedIn(app)

    // Who has a code of an administrator brings no factors.
    const typed = reason === 'not_imported' ? '123456' : await code()
    const { body } = await browser.submit('/callback', { code: typed })

    expect([body.errorStatus, body.error]).toEqual([503, 'The second step is unavailable.'])
    expect(events).toEqual([reason])
    expect(await isIn(browser)).toBe(false)
  })
})

describe("passport.authenticate('mfa') of a user without a web session", () => {
  it('a posted code of a user without a web session takes over nothing from another user’s web session', async () => {
    const app = await startCodeApp()
    const [alice, bob] = [await signedIn(app), await signedIn(app, 'bob')]
    await alice.browser.submit('/second-step', { code: await alice.code() })
    await alice.browser.submit('/basket', { basket: 'of alice' })

    const answer = await alice.browser.submit('/as-bob', {
      username: 'bob',
      password: 'secret',
      code: await bob.code(),
    })

    expect(answer.body.authInfo.mfa.factor).toBe('bypass')
    expect((await sessionOf(alice.browser)).data.basket).toBeUndefined()
  })

  it('a posted code of a user without a web session does not verify another user’s open challenge', async () => {
    const app = await startCodeApp()
    const [alice, mallory] = [await signedIn(app), await signedIn(app, 'mallory')]
    await alice.browser.visit('/mfa')

    // As with Basic authentication: the user of this one request is not the user of the web session.
    await alice.browser.submit('/as-bob', { username: 'mallory', password: 'secret', code: await mallory.code() })

    expect((await alice.browser.fetch('/account')).body).toMatchObject({
      user: { username: 'alice' },
      verified: false,
    })
  })
})

describe('what Passport does with the outcome', () => {
  it('failureMessage stores the reason of a failed code in the web session, and failureRedirect redirects', async () => {
    const app = await startCodeApp({ authenticate: { failureMessage: true, failureRedirect: '/second-step' } })
    const { browser } = await signedIn(app)

    const answer = await browser.submit('/second-step', { code: '000000' })

    expect([answer.status, answer.headers['location']]).toEqual([302, '/second-step'])
    expect((await sessionOf(browser)).data.messages).toEqual([expect.stringContaining("That code didn't work")])
  })

  inFullRun('failureRedirect sends no Retry-After, which would delay the redirect', async () => {
    const app = await startCodeApp({ authenticate: { failureRedirect: '/second-step' } })
    const { browser } = await signedIn(app)
    for (let guess = 0; guess < 6; guess++) await browser.submit('/second-step', { code: '000000' })

    const answer = await browser.submit('/second-step', { code: '000000' })

    expect(answer.headers['location']).toBe('/second-step')
    expect(answer.headers['retry-after']).toBeUndefined()
  })

  it('failureFlash flashes the reason of a failed code', async () => {
    const flashed: unknown[] = []
    const app = await startCodeApp({
      authenticate: { failureFlash: true },
      app: {
        mfa: {
          // As connect-flash does; the option is asked for each request.
          user: (req) => {
            Object.assign(req, { flash: (...args: unknown[]) => void flashed.push(args) })
            return req.user
          },
        },
      },
    })
    const { browser } = await signedIn(app)

    await browser.submit('/second-step', { code: '000000' })

    expect(flashed).toEqual([['error', expect.stringContaining("That code didn't work")]])
  })

  inFullRun('failWithError hands the status of a failed code to the error handler', async () => {
    const app = await startCodeApp({ authenticate: { failWithError: true } })
    const { browser } = await signedIn(app)

    expect((await browser.submit('/second-step', { code: '000000' })).text).toBe('Unauthorized')
  })

  inFullRun.each([
    ['successRedirect', { successRedirect: '/welcome' }, '/welcome'],
    ['successReturnToOrRedirect, with nothing to return to', { successReturnToOrRedirect: '/welcome' }, '/welcome'],
  ])('%s redirects after a correct code', async (_, authenticate, location) => {
    const app = await startCodeApp({ authenticate })
    const { browser, code } = await signedIn(app)

    expect((await browser.submit('/second-step', { code: await code() })).headers['location']).toBe(location)
  })

  it('successReturnToOrRedirect redirects to the page that the app has stored, once', async () => {
    const app = await startCodeApp({ authenticate: { successReturnToOrRedirect: '/welcome' } })
    const { browser, code } = await signedIn(app)
    await browser.submit('/basket', { returnTo: '/wanted' })

    expect((await browser.submit('/second-step', { code: await code() })).headers['location']).toBe('/wanted')
    expect((await sessionOf(browser)).data.returnTo).toBeUndefined()
  })

  inFullRun('successMessage outlives the new id of the web session', async () => {
    const app = await startCodeApp({ authenticate: { successMessage: 'Welcome back' } })
    const { browser, code } = await signedIn(app)

    await browser.submit('/second-step', { code: await code() })

    expect((await sessionOf(browser)).data.messages).toEqual(['Welcome back'])
  })
})

describe('new MfaStrategy()', () => {
  it.each([
    ['a misspelt option', { codefield: 'otp' }, 'codefield'],
    ['a field without a name', { codeField: '' }, 'codeField: must be the name of a field, or false'],
  ])('new MfaStrategy() reports at startup what is wrong with %s', (_, options, words) => {
    expect(() => new MfaStrategy(options as MfaStrategyOptions)).toThrow(TypeError)
    expect(() => new MfaStrategy(options as MfaStrategyOptions)).toThrow(words)
  })

  it('new MfaStrategy() is named mfa, as passport.use() wants', () => {
    expect(() => new Passport().use(new MfaStrategy())).not.toThrow()
  })
})

import express from 'express'
import session from 'express-session'
import { Passport } from 'passport'
import request from 'supertest'
import { describe, expect, it } from 'vitest'
import { isVerified } from 'second-factor'
import { MfaStrategy } from 'second-factor/passport'

import { inFullRun } from '../support/full-run.ts'
import { numberOn, startWebApp } from '../support/web-app.ts'
import type { WebApp } from '../support/web-app.ts'

const html = { accept: 'text/html', 'sec-fetch-mode': 'navigate' }

/** An app that is not gated: Passport alone decides, on the routes that ask it to. */
function startPassportApp(options: object = {}) {
  return startWebApp({
    mfa: { gate: false },
    routes(app, passport) {
      passport.use(new MfaStrategy())
      app.post(
        '/sign-in',
        express.urlencoded({ extended: false }),
        passport.authenticate('local'),
        passport.authenticate('mfa', { successRedirect: '/welcome', failureRedirect: '/sorry', ...options }),
      )
      app.get(
        '/second-step',
        passport.authenticate('mfa', { successRedirect: '/welcome', failureRedirect: '/sorry', ...options }),
      )
      app.get('/inside', passport.authenticate('mfa', options), (req, res) => {
        res.json({
          authInfo: req.authInfo,
          verified: isVerified(req),
          basket: (req.session as { basket?: unknown }).basket,
        })
      })
    },
  })
}

/** Signs in, sets up a device and comes back verified. */
async function verified(app: WebApp) {
  const browser = app.browser()
  await browser.submit('/sign-in', { username: 'alice', password: 'secret' })
  const account = await app.activate(await browser.visit('/mfa'))
  await app.answer(account, 'approve', numberOn(await browser.visit('/mfa')))
  const done = await browser.submit('/mfa/complete')
  return { browser, account, done }
}

describe("passport.authenticate('mfa')", () => {
  inFullRun('the mfa strategy leads Turbo to the challenge, whatever failureRedirect says', async () => {
    const app = await startPassportApp()
    const fetched = { 'sec-fetch-mode': 'cors', accept: 'text/html', 'x-turbo-request-id': 'b6c8' }

    const login = await app.browser().submit('/sign-in', { username: 'alice', password: 'secret' }, fetched)
    const person = app.browser()
    await person.submit('/sign-in', { username: 'alice', password: 'secret' })
    const page = await person.open('/inside', fetched)

    expect([login.status, login.headers['location']]).toEqual([303, '/mfa?returnTo=%2Fwelcome'])
    expect([page.status, page.headers['location']]).toEqual([303, '/mfa?returnTo=%2Finside'])
  })

  it('the mfa strategy has htmx open the challenge, whatever failureRedirect says', async () => {
    const app = await startPassportApp()
    const fetched = { 'sec-fetch-mode': 'cors', accept: '*/*', 'hx-request': 'true' }

    const login = await app.browser().submit('/sign-in', { username: 'alice', password: 'secret' }, fetched)

    expect([login.status, login.headers['hx-redirect']]).toEqual([403, '/mfa?returnTo=%2Fwelcome'])
  })

  inFullRun(
    'after a local login, the mfa strategy leads to the challenge, and from there to successRedirect',
    async () => {
      const app = await startPassportApp()
      const browser = app.browser()

      const answer = await browser.submit('/sign-in', { username: 'alice', password: 'secret' })
      expect(answer.status).toBe(303)
      expect(answer.headers['location']).toBe('/mfa')

      const { done } = await verified(app)
      expect(done.headers['location']).toBe('/welcome')
    },
  )

  inFullRun('the mfa strategy on a page returns to that page, where Passport then succeeds', async () => {
    const app = await startPassportApp()
    const browser = app.browser()
    await app.signIn(browser, 'alice')
    const account = await app.activate(await browser.visit('/second-step'))
    await app.answer(account, 'approve', numberOn(await browser.visit('/mfa')))

    expect((await browser.submit('/mfa/complete')).headers['location']).toBe('/second-step')
    expect((await browser.open('/second-step')).headers['location']).toBe('/welcome')
  })

  it('the mfa strategy fails for signed-out users, so that failureRedirect works', async () => {
    const app = await startPassportApp()

    expect((await app.browser().open('/second-step')).headers['location']).toBe('/sorry')
  })

  inFullRun('the mfa strategy redirects to failureRedirect when the user gives up', async () => {
    const app = await startPassportApp()
    const { account } = await verified(app)
    void account
    const browser = app.browser()
    await browser.submit('/sign-in', { username: 'alice', password: 'secret' })
    await browser.visit('/mfa')

    expect((await browser.submit('/mfa/cancel')).headers['location']).toBe('/sorry')
  })

  inFullRun.each([
    ['keepSessionInfo: true', { keepSessionInfo: true }],
    ['keepSessionInfo: false', { keepSessionInfo: false }],
    ['session: false', { session: false }],
  ])(
    'the mfa strategy keeps the verification record, and reports time and factor in authInfo, with %s',
    async (_, options) => {
      const app = await startPassportApp(options)
      const { browser } = await verified(app)

      const insideBody = (await browser.fetch('/inside')).body

      expect(insideBody).toMatchObject({ verified: true, authInfo: { mfa: { factor: 'push', at: app.clock.now() } } })
      expect((await browser.fetch('/inside')).body.verified).toBe(true)
      expect((await browser.fetch('/account')).body.verified).toBe(true)
    },
  )

  inFullRun(
    'the mfa strategy does not carry the verification record over to another user who signs in meanwhile',
    async () => {
      const app = await startPassportApp({ keepSessionInfo: true })
      const { browser } = await verified(app)

      const answer = await browser.submit('/sign-in', { username: 'bob', password: 'secret' })

      expect(answer.headers['location']).toBe('/mfa')
      expect((await browser.fetch('/account')).body.verified).toBe(false)
    },
  )

  it('the mfa strategy answers scripts with 403 instead of a redirect', async () => {
    const app = await startWebApp({
      mfa: { gate: false },
      routes(express_, passport) {
        passport.use(new MfaStrategy())
        express_.get('/api', passport.authenticate('mfa'), (_req, res) => void res.send('reached'))
      },
    })
    const browser = app.browser()
    await app.signIn(browser, 'alice')

    expect((await browser.fetch('/api')).status).toBe(403)
  })

  it('the mfa strategy without app.use(mfa()) is an error that says so, never a pass', async () => {
    const passport = new Passport()
    passport.use(new MfaStrategy())
    const app = express()
    app.use(session({ secret: 'test', resave: false, saveUninitialized: false }))
    app.get('/', passport.authenticate('mfa'), (_req, res) => void res.send('reached'))
    app.use((error: Error, _req: express.Request, res: express.Response, _next: express.NextFunction) => {
      res.status(500).send(error.message)
    })

    const answer = await request(app).get('/').set(html)

    expect(answer.status).toBe(500)
    expect(answer.text).toBe("passport.authenticate('mfa') needs app.use(mfa()) before it")
  })
})

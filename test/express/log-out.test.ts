import cookieSession from 'cookie-session'
import express from 'express'
import session from 'express-session'
import { mfa } from 'second-factor'
import type { AppRequest, Logout, MfaOptions } from 'second-factor'
import { UnreachableError } from 'second-factor/client'
import { startTestService } from 'second-factor/testing'
import request from 'supertest'
import { describe, expect, it, onTestFinished } from 'vitest'

import { createBrowser } from '../support/browser.ts'
import { describeInFullRun, inFullRun } from '../support/full-run.ts'
import { listen } from '../support/listen.ts'
import { startWebApp } from '../support/web-app.ts'

/** An app of Passport whose user has passed the second step. */
async function verified(options: Partial<MfaOptions>) {
  const app = await startWebApp({ mfa: { logoutPath: undefined, ...options } })
  const browser = app.browser()
  await app.verify(browser, 'alice')
  return { app, browser }
}

const byPassport: Logout = (req, res, next) =>
  req.logout((error) => (error ? next(error) : res.redirect(303, '/goodbye')))

describe('the option logout', () => {
  inFullRun.each<[string, Logout, string]>([
    ['a handler of Passport that answers', byPassport, '/goodbye'],
    ['a handler of Passport that calls next()', (req, _res, next) => req.logout(next), '/'],
    ['an async handler that answers in a callback', async (req, res) => byPassport(req, res, () => {}), '/goodbye'],
    ['a function of req that returns a promise', (req) => new Promise((done) => req.logout(done)), '/'],
    [
      'a function of req that destroys the web session',
      (req) => void (req as express.Request).session.destroy(() => {}),
      '/',
    ],
    ['an async function of any arguments', async (...args) => byPassport(...args), '/goodbye'],
  ])('the option logout signs out by %s', async (_, logout, location) => {
    const { browser } = await verified({ logout })

    const answer = await browser.submit('/mfa/sign-out')

    expect([answer.status, answer.headers['location']]).toEqual([303, location])
    expect((await browser.fetch('/account')).body.verified).toBe(false)
  })

  inFullRun('the option logout handles Sign out on every page, also beside logoutPath', async () => {
    const app = await startWebApp({ mfa: { logout: byPassport, logoutPath: '/logout' } })
    const browser = app.browser()
    await app.signIn(browser, 'alice')

    const { text } = await browser.visit('/account')
    const elsewhere = await browser.open('/mfa/nowhere')

    expect(text).toContain('<form method="post" action="/mfa/sign-out">')
    expect(text).not.toContain('action="/logout"')
    expect(elsewhere.text).toContain('<form method="post" action="/mfa/sign-out">')
  })

  inFullRun(
    'the option logout works with CSRF protection behind mfa(), whose tokens the pages do not know',
    async () => {
      const app = await startWebApp({
        mfa: { logoutPath: undefined, logout: byPassport },
        routes: (routes) => routes.use((req, res, next) => (req.method === 'GET' ? next() : res.sendStatus(403))),
      })
      const browser = app.browser()
      await app.verify(browser, 'alice')

      expect((await browser.submit('/mfa/sign-out')).headers['location']).toBe('/goodbye')
    },
  )

  it('the option logout also ends the second step if the app keeps its web session and answers at once', async () => {
    const app = await startOwnApp(session({ secret: 'test', resave: false, saveUninitialized: false }), (req, res) => {
      Reflect.deleteProperty(req.session ?? {}, 'username')
      res.redirect(303, '/')
    })
    const browser = await app.passed()

    await browser.submit('/mfa/sign-out')
    await browser.submit('/login')

    expect((await browser.fetch('/account')).status).toBe(403)
  })

  inFullRun('the option logout signs out with cookie-session', async () => {
    const app = await startOwnApp(cookieSession({ name: 'web', keys: ['test'] }), (req) => {
      Object.assign(req, { session: null })
    })
    const browser = await app.passed()

    const { headers } = await browser.submit('/mfa/sign-out')
    await browser.submit('/login')

    expect(headers['location']).toBe('/')
    expect((await browser.fetch('/account')).status).toBe(403)
  })

  it.each<[string, Logout]>([
    ['that fails', () => Promise.reject(new Error('the store is full'))],
    [
      'that has loaded the web session again',
      (req) =>
        new Promise((_, reject) => {
          ;(req as express.Request).session.reload(() => reject(new Error('the store is full')))
        }),
    ],
  ])('the option logout passes errors to the app, and leaves nobody verified, with a handler %s', async (_, logout) => {
    const { app, browser } = await verified({ logout })

    const answer = await browser.submit('/mfa/sign-out')

    expect([answer.status, answer.text]).toEqual([500, 'the store is full'])
    expect(app.trouble).toEqual([expect.stringContaining('the store is full')])
    expect((await browser.fetch('/account')).status).toBe(403)
  })

  it('a logout handler that fails like the service leaves nobody verified, even if failMode lets the user pass', async () => {
    const types: string[] = []
    const { browser } = await verified({
      logout: () => Promise.reject(new UnreachableError('network', 'refused')),
      failMode: () => true,
      onEvent: ({ type }) => void types.push(type),
    })

    await browser.submit('/mfa/sign-out')

    expect(types).toContain('gate.let_through')
    expect((await browser.fetch('/account')).body.verified).toBe(false)
  })

  inFullRun(
    'a sign-out answers after ten seconds, with a warning, if the logout handler takes res and never answers',
    async () => {
      const warnings: string[] = []
      const called = Promise.withResolvers<void>()
      const { app, browser } = await verified({
        logout: (_req, _res) => called.resolve(),
        logger: { info() {}, error() {}, warn: (message) => void warnings.push(message) },
      })

      const answer = browser.submit('/mfa/sign-out')
      await called.promise
      await app.clock.advance(10)

      expect((await answer).headers['location']).toBe('/')
      expect(warnings).toEqual([expect.stringContaining('logout neither answered nor called next()')])
    },
  )

  inFullRun('the option logout cancels the request on the device', async () => {
    const app = await startWebApp({ mfa: { logout: byPassport } })
    const browser = app.browser()
    const { account } = await app.enroll(browser, 'alice')
    expect((await app.device.requests(account)).requests).toHaveLength(1)

    await browser.submit('/mfa/sign-out')

    await expect.poll(async () => (await app.device.requests(account)).requests).toEqual([])
  })

  it('the option logout signs out while the service does not respond', async () => {
    const down = { baseUrl: 'http://127.0.0.1:9/api', apiKey: 'k'.repeat(64), domainId: 'd' }
    const app = await startWebApp({ mfa: { logout: byPassport, service: down } })
    const browser = app.browser()
    await app.signIn(browser, 'alice')
    await browser.visit('/account')

    expect((await browser.submit('/mfa/sign-out')).headers['location']).toBe('/goodbye')
  })

  inFullRun('the option logout is required for /mfa/sign-out to exist', async () => {
    const { browser } = await verified({ logoutPath: '/logout' })

    expect((await browser.submit('/mfa/sign-out')).status).toBe(404)
    expect((await browser.fetch('/account')).body.verified).toBe(true)
  })
})

describe('a sign-out from another site', () => {
  it.each<[string, Record<string, string>]>([
    ['from another site', { 'sec-fetch-site': 'cross-site' }],
    ['from a sibling domain', { 'sec-fetch-site': 'same-site' }],
    ['from another origin, by an older browser', { origin: 'https://evil.example' }],
    ['that says not from where', {}],
  ])('a sign-out that is not known to come from the app is rejected: %s', async (_, headers) => {
    const { app, browser } = await verified({ logout: byPassport })
    const cookie = browser.cookies()

    const answer = await request(app.url)
      .post('/mfa/sign-out')
      .type('form')
      .set({ cookie, ...headers })

    expect(answer.status).toBe(403)
    expect((await browser.fetch('/account')).body.verified).toBe(true)
  })

  it('a sign-out from another site by a link or an image is rejected', async () => {
    const { browser } = await verified({ logout: byPassport })

    expect((await browser.open('/mfa/sign-out', { 'sec-fetch-site': 'cross-site' })).status).toBe(405)
    expect((await browser.fetch('/account')).body.verified).toBe(true)
  })

  inFullRun('a sign-out needs the token of the page in a browser that sends no headers', async () => {
    const app = await startWebApp({ mfa: { logout: byPassport } })
    const browser = app.browser()
    for (const path of ['/mfa', '/mfa/nowhere']) {
      await app.signIn(browser, 'alice')
      await browser.visit('/mfa')
      const page = await browser.visit(path)
      const token = /sign-out"><input type="hidden" name="page" value="([^"]+)"/.exec(page.text)?.[1]
      const post = request(app.url).post('/mfa/sign-out').type('form').send({ page: token })

      expect((await post.set('cookie', browser.cookies())).headers['location']).toBe('/goodbye')
    }
  })
})

describeInFullRun('the option logoutPath', () => {
  it('the option logoutPath is posted to, or opened as a link with logoutMethod GET', async () => {
    const footer = async (options: Partial<MfaOptions>) => {
      const app = await startWebApp({ mfa: { logoutPath: '/logout', ...options } })
      const browser = app.browser()
      await app.signIn(browser, 'alice')
      return (await browser.visit('/account')).text
    }

    expect(await footer({})).toContain('<form method="post" action="/logout"><span>')
    expect(await footer({ logoutMethod: 'GET' })).toContain('<a href="/logout">Sign out</a>')
  })
})

describeInFullRun('a logout route of the app that refuses the form of the pages', () => {
  it.each([
    ['it is a link', 404],
    ['it wants a CSRF token', 403],
  ])(
    'mfa() logs one warning, with the two fixes, if the app’s logout route refuses the form of the pages: %s',
    async (_, status) => {
      const { browser, warnings } = await refusing(status, { logoutPath: '/out' })

      await browser.submit('/out')
      await browser.submit('/out')

      expect(warnings).toEqual([expect.stringContaining(`POST /out was answered ${status}`)])
      expect(warnings[0]).toContain("mfa({ logout }) your logout handler, or write logoutMethod: 'GET'")
    },
  )

  it('mfa() logs no warning about a logout route that refuses forms if the pages do not post to it', async () => {
    const linkLogout = await refusing(403, { logoutPath: '/out', logoutMethod: 'GET' })
    const ownLogout = await refusing(403, { logoutPath: '/out', logout: byPassport })

    await linkLogout.browser.submit('/out')
    await ownLogout.browser.submit('/out')

    expect([...linkLogout.warnings, ...ownLogout.warnings]).toEqual([])
  })

  async function refusing(status: number, options: Partial<MfaOptions>) {
    const warnings: string[] = []
    const app = await startWebApp({
      mfa: { logger: { info() {}, error() {}, warn: (message) => void warnings.push(message) }, ...options },
      routes: (routes) => routes.post('/out', (_req, res) => res.sendStatus(status)),
    })
    const browser = app.browser()
    await app.signIn(browser, 'alice')
    return { browser, warnings }
  }
})

/** An app without Passport, which keeps its web session over logins. */
async function startOwnApp(webSession: express.RequestHandler, logout: Logout) {
  const service = await startTestService()
  const app = express()
  app.use(webSession)
  app.post('/login', (req, res) => {
    Object.assign(req, { session: Object.assign(req.session ?? {}, { username: 'alice' }) })
    res.sendStatus(204)
  })
  app.use(mfa({ service, clock: service.clock, user: userOf, logout }))
  app.use((_req, res) => void res.json({}))
  const url = await listen(app)
  onTestFinished(() => service.close())
  const device = await service.enroll('alice')

  async function passed() {
    const browser = createBrowser(url)
    await browser.submit('/login')
    await browser.visit('/account')
    await device.approve()
    await browser.submit('/mfa/complete')
    return browser
  }
  return { passed }
}

function userOf({ session: webSession }: AppRequest) {
  const { username } = (webSession ?? {}) as { username?: string }
  return username === undefined ? null : { username }
}

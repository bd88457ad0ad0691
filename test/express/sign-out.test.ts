import cookieSession from 'cookie-session'
import express from 'express'
import session from 'express-session'
import { forgetMfa } from 'second-factor'
import { describe, expect, it } from 'vitest'

import { inFullRun } from '../support/full-run.ts'
import { numberOn, startWebApp } from '../support/web-app.ts'
import type { WebAppOptions } from '../support/web-app.ts'
import { startOwnLoginApp } from './own-login.ts'

const idOf = (browser: { cookie(name: string): string | undefined }) =>
  decodeURIComponent(browser.cookie('connect.sid') ?? '')
    .slice(2)
    .split('.')[0] ?? ''

const contentOf = (store: session.MemoryStore) => (store as unknown as { sessions: Record<string, string> }).sessions

describe('a verification record', () => {
  it('a verification record ends at the first request without a user, and is stored as ended', async () => {
    const store = new session.MemoryStore()
    const app = await startOwnLoginApp({ store })
    const browser = await app.verified()
    await browser.submit('/early/logout')

    await browser.fetch('/anything')

    expect(contentOf(store)[idOf(browser)]).toContain('"basket"')
    expect(contentOf(store)[idOf(browser)]).not.toContain('verified')
    await browser.submit('/early/login')
    expect((await browser.fetch('/account')).status).toBe(403)
  })

  it('a verification record ends at the first request of another user', async () => {
    const app = await startOwnLoginApp()
    const browser = await app.verified()
    await browser.submit('/early/login?as=bob')

    await browser.fetch('/anything')
    await browser.submit('/early/login')

    expect((await browser.fetch('/account')).status).toBe(403)
  })

  it('a verification record ends before the app answers, so that an open stream does not keep it', async () => {
    const store = new session.MemoryStore()
    const app = await startOwnLoginApp({ store })
    const browser = await app.verified()
    await browser.submit('/early/logout')

    const stream = browser.fetch('/stream')
    await app.streaming

    expect(contentOf(store)[idOf(browser)]).not.toContain('verified')
    app.endStream()
    await stream
  })

  it('the end of a verification record does not resurrect a web session that has ended in the meantime', async () => {
    const store = new session.MemoryStore()
    const app = await startOwnLoginApp({ store })
    const browser = await app.verified()
    await browser.submit('/early/logout')
    app.onNextRequest(() => delete contentOf(store)[idOf(browser)])

    await browser.fetch('/anything')

    expect(Object.keys(contentOf(store))).toEqual([])
  })

  it('a web session that the app resurrects by changing it has no verification record', async () => {
    const store = new session.MemoryStore()
    const app = await startOwnLoginApp({ store })
    const browser = await app.verified()
    await browser.submit('/early/logout')
    app.onNextRequest((req) => {
      delete contentOf(store)[idOf(browser)]
      Object.assign(req.session, { basket: ['another book'] })
    })

    await browser.fetch('/anything')

    expect(contentOf(store)[idOf(browser)]).toContain('another book')
    expect(contentOf(store)[idOf(browser)]).not.toContain('verified')
  })

  inFullRun('mfa() creates no web session for visitors who have none', async () => {
    const store = new session.MemoryStore()
    const app = await startOwnLoginApp({ store })

    await app.browser().fetch('/anything')

    expect(Object.keys(contentOf(store))).toEqual([])
  })

  it.each([
    ['before mfa(), by forgetMfa(req)', '/early/logout?forget=yes'],
    ['behind mfa(), by req.mfa.forget()', '/late/logout'],
  ])('a verification record ends with a sign-out %s', async (_, path) => {
    const app = await startOwnLoginApp()
    const browser = await app.verified()

    await browser.submit(path)
    await browser.submit('/early/login')

    expect((await browser.fetch('/account')).status).toBe(403)
  })

  inFullRun('a verification record in cookie-session ends with a sign-out', async () => {
    const app = await startOwnLoginApp({ webSession: cookieSession({ name: 'web', keys: ['test'] }) })
    const browser = await app.verified()
    await browser.submit('/early/logout')

    await browser.fetch('/anything')
    await browser.submit('/early/login')

    expect((await browser.fetch('/account')).status).toBe(403)
  })

  it('forgetMfa() does nothing if there is no web session', async () => {
    await expect(forgetMfa({} as never)).resolves.toBeUndefined()
  })
})

/** An app that keeps its web session over logins, as Passport lets it. */
const keeping: WebAppOptions = {
  login: { keepSessionInfo: true },
  routes(app, passport) {
    app.post('/quick-logout', (req, res, next) =>
      req.logOut({ keepSessionInfo: true }, (error) => (error ? next(error) : res.redirect(303, '/'))),
    )
    app.post('/login-by-callback', express.urlencoded({ extended: false }), (req, res, next) => {
      passport.authenticate('local', (error: unknown, user: Express.User) => {
        if (error) return next(error)
        return req.login(user, { session: true, keepSessionInfo: true }, () => res.redirect(303, '/account'))
      })(req, res, next)
    })
  },
}

describe('a verification record, with Passport that keeps the web session', () => {
  it('req.logOut() ends the verification record even if Passport keeps the web session', async () => {
    const store = new session.MemoryStore()
    const app = await startWebApp({ ...keeping, session: { store } })
    const browser = app.browser()
    await app.verify(browser, 'alice')

    const { status } = await browser.submit('/quick-logout')

    expect(status).toBe(303)
    expect(Object.values(contentOf(store)).join()).toContain('"passport"')
    expect(Object.values(contentOf(store)).join()).not.toContain('verified')
  })

  it.each(['/login', '/login-by-callback'])(
    'another login of the same user in the kept web session ends the verification record: %s',
    async (path) => {
      const app = await startWebApp(keeping)
      const browser = app.browser()
      await app.verify(browser, 'alice')

      const { status } = await browser.submit(path, { username: 'alice', password: 'secret' })

      expect(status).toBe(303)
      expect((await browser.fetch('/account')).status).toBe(403)
    },
  )

  inFullRun('a verification record stays if a request is signed in without the web session', async () => {
    const app = await startWebApp({
      routes(express5, passport) {
        const local = passport.authenticate('local', { session: false })
        express5.post('/api', express.urlencoded({ extended: false }), local, (_req, res) => res.json({}))
      },
    })
    const browser = app.browser()
    await app.verify(browser, 'alice')

    await browser.submit('/api', { username: 'bob', password: 'secret' })

    expect((await browser.fetch('/account')).body.verified).toBe(true)
  })

  inFullRun('the next second step after another login creates a verification record again', async () => {
    const app = await startWebApp(keeping)
    const browser = app.browser()
    const account = await app.verify(browser, 'alice')
    await app.signIn(browser, 'alice')

    await app.answer(account, 'approve', numberOn(await browser.visit('/account')))
    await browser.submit('/mfa/complete')

    expect((await browser.fetch('/account')).body.verified).toBe(true)
  })
})

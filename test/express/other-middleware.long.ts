import csurf from 'csurf'
import express from 'express'
import express4 from 'express4'
import helmet from 'helmet'
import lusca from 'lusca'
import type { Page } from 'playwright-core'
import type { Logger, Logout } from 'second-factor'
import { describe, expect, it } from 'vitest'

import { phoneOptions } from '../authenticator/phone.ts'
import { activate, numberOn, typeNumber } from '../story/person.ts'
import { keptPage } from '../support/kept-page.ts'
import { sharedChromium } from '../support/shared-chromium.ts'
import { listen } from '../support/listen.ts'
import { startWebApp } from '../support/web-app.ts'
import type { WebAppOptions } from '../support/web-app.ts'

const chromium = await sharedChromium()

const byPassport: Logout = (req, res, next) =>
  req.logout((error) => (error ? next(error) : res.redirect(303, '/goodbye')))

const withHandlers = (...handlers: readonly express.RequestHandler[]): WebAppOptions => ({
  routes: (app) => handlers.forEach((handler) => app.use(handler)),
})

/** Adds the account on the phone, and approves the sign-in there. */
async function passByPhone(page: Page, phone: Page): Promise<void> {
  const authenticator = await activate(phone, page)
  // Its clock stands still, so the page does not look for the device by itself.
  await page.reload()
  await authenticator.getByText('Sign in to').waitFor()
  await typeNumber(authenticator, await numberOn(page))
  await authenticator.getByRole('button', { name: 'Approve' }).click()
}

describe('an app with', () => {
  it.each<[string, WebAppOptions]>([
    ['helmet() before mfa()', { before: [helmet()] }],
    ['helmet() behind mfa()', withHandlers(helmet())],
    ['helmet() before mfa(), and csurf behind it', { before: [helmet()], ...withHandlers(csurf()) }],
    ['lusca behind mfa()', withHandlers(lusca.csrf())],
    [
      'helmet() before mfa() in Express 4, and csurf behind it',
      { before: [helmet()], express: express4, ...withHandlers(csurf()) },
    ],
  ])('an app with %s signs a user in and out in a real browser, and the browser blocks nothing', async (_, options) => {
    const { app, page, phone, problems } = await open(options)

    await page.goto(`${app.url}/account`)
    await passByPhone(page, phone)
    await page.waitForURL(`${app.url}/account`)

    await page.goto(`${app.url}/mfa/devices`)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL(`${app.url}/goodbye`)
    expect(problems).toEqual([])
  })
})

describe('an app with a service worker', () => {
  it('an app with a service worker that hands requests on leads its users to the second step and back', async () => {
    const script = "addEventListener('fetch', (event) => event.respondWith(fetch(event.request)))"
    const worker: express.RequestHandler = (req, res, next) =>
      req.path === '/worker.js' ? void res.type('js').send(script) : next()
    const { app, page, phone } = await open({ before: [worker] })
    const context = page.context()
    await page.goto(`${app.url}/mfa/assets/style.css`)
    await page.evaluate(async () => {
      await navigator.serviceWorker.register('/worker.js')
      await navigator.serviceWorker.ready
    })

    await page.goto(`${app.url}/account#numbers`)
    await passByPhone(page, phone)
    await page.waitForURL(`${app.url}/account`)

    expect(await page.locator('body').innerText()).toContain('"verified":true')
    expect(context.serviceWorkers()).toHaveLength(1)
  })
})

describe('the option logout', () => {
  it('the option logout may lead on to an identity provider, in a real browser', async () => {
    const provider = await listen((_req, res) => void res.end('Goodbye'))
    const { app, page, problems } = await open({}, (req, res, next) =>
      req.logout((error) => (error ? next(error) : res.redirect(`${provider}/logout?of=app`))),
    )
    await page.goto(`${app.url}/account`)

    await page.getByRole('button', { name: 'Sign out' }).click()

    await page.waitForURL(`${provider}/logout?of=app`)
    expect(problems).toEqual([])
  })
})

/** A user who has entered the password in a browser, with what the browser blocked and what the app was warned about. */
async function open(options: WebAppOptions, logout = byPassport) {
  const problems: string[] = []
  const logger: Logger = {
    info() {},
    warn: (message) => void problems.push(message),
    error: (message) => void problems.push(message),
  }
  const app = await startWebApp({ ...options, mfa: { logger, logout, logoutPath: undefined } })
  const [page, phone] = [await keptPage(chromium), await keptPage(chromium, phoneOptions)]
  for (const context of [page.context(), phone.context()]) {
    context.on('console', (message) => void (message.type() === 'error' && problems.push(message.text())))
    context.on('weberror', (error) => void problems.push(error.error().message))
  }
  await page.request.post(`${app.url}/login`, { form: { username: 'alice', password: 'secret' }, maxRedirects: 0 })
  return { app, page, phone, problems }
}

describe('CSRF protection before mfa()', () => {
  it.each([
    ['csurf', () => csurf({ cookie: false }), express],
    ['csurf in Express 4', () => csurf({ cookie: false }), express4],
    ['lusca', () => lusca.csrf(), express],
  ])(
    'CSRF protection before mfa() is warned about once, with the two lines to write: %s',
    async (_, create, version) => {
      const { app, warnings } = await startProtected(create(), version)
      await fetch(`${app.url}/mfa`)

      const { status } = await fetch(`${app.url}/mfa/device/preview`, { method: 'POST', body: '{}' })
      await fetch(`${app.url}/mfa/complete`, { method: 'POST' })

      expect(status).toBeGreaterThanOrEqual(403)
      await expect
        .poll(() => warnings)
        .toEqual([expect.stringContaining(`POST /mfa/device/preview was answered ${status}`)])
      expect(warnings[0]).toContain('app.use(mfa({ … })), then app.use(csrf())')
    },
  )

  it.each<[string, () => express.RequestHandler]>([
    ['by its own option', () => lusca.csrf({ blocklist: ['/mfa'] })],
    ['by the middleware of the recipe', skipMfa],
  ])('CSRF protection before mfa() causes no warning if it excludes the paths below /mfa, %s', async (_, create) => {
    const { app, warnings } = await startProtected(create())
    await fetch(`${app.url}/mfa`)

    const { status } = await fetch(`${app.url}/mfa/device/preview`, { method: 'POST', body: '{}' })
    const other = await fetch(`${app.url}/order`, { method: 'POST' })

    expect([status, other.status >= 403]).toEqual([400, true])
    expect(warnings).toEqual([])
  })

  it('a request that mfa() itself refuses causes no warning about CSRF protection', async () => {
    const { app, warnings } = await startProtected((_req, _res, next) => next())
    await fetch(`${app.url}/mfa`)
    const browser = app.browser()
    await app.signIn(browser, 'alice')

    const { status } = await browser.submit('/mfa/complete', {}, { 'sec-fetch-site': 'cross-site' })

    expect([status, warnings]).toEqual([403, []])
  })
})

/** The middleware in docs/recipes.md, around csurf. */
function skipMfa(): express.RequestHandler {
  const csrfProtection = csurf({ cookie: false })
  return (req, res, next) => (req.path.startsWith('/mfa/') ? next() : csrfProtection(req, res, next))
}

/** An app that has something between its web session and mfa(). */
async function startProtected(protection: express.RequestHandler, version: typeof express = express) {
  const warnings: string[] = []
  const logger: Logger = { info() {}, error() {}, warn: (message) => void warnings.push(message) }
  const app = await startWebApp({ beforeMfa: [protection], express: version, mfa: { logger } })
  return { app, warnings }
}

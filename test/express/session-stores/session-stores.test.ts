import express5 from 'express'
import express4 from 'express4'
import type { RequestHandler, Response } from 'express'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'

import type { Browser } from '../../support/browser.ts'
import { inFullRun, isLongRun } from '../../support/full-run.ts'
import { numberOn, startWebApp } from '../../support/web-app.ts'
import type { ControlledStore } from './control.ts'
import { control } from './control.ts'
import type { OpenStore } from './stores.ts'
import { stores } from './stores.ts'

const usual = { resave: false, saveUninitialized: false }
const generous = { resave: true, rolling: true, saveUninitialized: true }

const hosts = [
  ...stores.map(([name, open]) => ({ name: `${name}, Express 5`, open, options: usual, express: express5 })),
  // Where a store is asked more often, those in a database differ by nothing that `npm test` would have to repeat.
  ...(isLongRun ? stores : stores.slice(0, 1)).map(([name, open]) => ({
    name: `${name}, Express 4, resave, rolling and saveUninitialized`,
    open,
    options: generous,
    express: express4,
  })),
]

describe.each(hosts)('web sessions in $name', ({ open, options, express }) => {
  let opened: OpenStore
  let store: ControlledStore
  let answering: Response

  beforeAll(async () => {
    opened = await open()
    store = control(opened.store)
  })
  afterEach(() => store.release())
  afterAll(() => opened.close())

  const watch: RequestHandler = (_req, res, next) => {
    answering = res
    next()
  }

  /** Signs in, and stops after an approval that was not redeemed yet. */
  async function approved(login: object = {}) {
    const app = await startWebApp({
      before: [ping, watch],
      session: { ...options, store: opened.store },
      express,
      login,
    })
    const browser = app.browser()
    const { account, page } = await app.enroll(browser, 'alice')
    await app.answer(account, 'approve', numberOn(page))
    return { app, browser, account }
  }

  inFullRun('the second step gives the web session a new id, and the old one is worthless', async () => {
    const { browser } = await approved()
    const planted = browser.copy()

    await browser.submit('/mfa/complete')

    expect(await store.read(idOf(planted))).toBeNull()
    expect((await browser.fetch('/account')).body.verified).toBe(true)
    expect((await planted.fetch('/account')).body).toMatchObject({ verified: false, user: null })
  })

  it('a verified web session is stored before the redirect is sent', async () => {
    const { app, browser } = await approved()
    const slow = store.hold('set')

    const answer = browser.submit('/mfa/complete')
    await slow.reached
    // Enough time for a response that does not wait.
    for (let count = 0; count < 3; count++) await fetch(`${app.url}/ping`)
    // Not even the headers, which browsers follow; express-session itself delays only the end.
    expect(answering.headersSent).toBe(false)
    slow.release()

    expect((await answer).headers['location']).toBe('/account')
    expect((await browser.fetch('/account')).body.verified).toBe(true)
  })

  it('a web session that could not be stored verifies no one, and the page says so', async () => {
    const { browser } = await approved()
    store.failOnce('set')

    const answer = await browser.submit('/mfa/complete')

    expect(answer.status).toBe(503)
    expect(answer.text).toContain('You&#39;re not signed in yet')
    expect((await browser.fetch('/account')).body.verified).not.toBe(true)
    expect((await store.read(idOf(browser)))?.mfa?.verified).toBeUndefined()
  })

  inFullRun(
    'a web session whose old id could not be removed verifies no one, but stays signed in to try again',
    async () => {
      const { app, account, browser } = await approved()
      store.failOnce('destroy')

      expect((await browser.submit('/mfa/complete')).status).toBe(503)
      expect((await browser.fetch('/account')).status).toBe(403)
      await browser.submit('/mfa/send')
      await app.answer(account, 'approve', numberOn(await browser.visit('/mfa')))
      await browser.submit('/mfa/complete')

      expect((await browser.fetch('/account')).body).toMatchObject({ verified: true, user: { username: 'alice' } })
    },
  )

  inFullRun('a slow request does not restore a web session under its old id', async () => {
    const { app, account, browser } = await approved()
    await browser.submit('/mfa/complete')
    await app.clock.advance(300)
    const page = await browser.visit('/danger')
    const earlierCopy = browser.copy()
    const late = earlierCopy.fetch('/mfa/status')

    await app.answer(account, 'approve', numberOn(page))
    await browser.submit('/mfa/complete')
    await late

    expect(await store.read(idOf(earlierCopy))).toBeNull()
    expect((await browser.open('/danger')).text).toBe('danger')
  })

  inFullRun('a web session keeps no verification record when another user signs in', async () => {
    const { app, browser } = await approved({ keepSessionInfo: true })
    await browser.submit('/mfa/complete')

    await app.signIn(browser, 'bob')

    expect((await browser.fetch('/account')).status).toBe(403)
  })

  inFullRun('a web session keeps no verification record when its user signs out', async () => {
    const { app, browser } = await approved()
    await browser.submit('/mfa/complete')

    await browser.submit('/logout')
    await app.signIn(browser, 'alice')

    expect((await browser.fetch('/account')).status).toBe(403)
  })
})

/** Responds without a web session. */
const ping: RequestHandler = (req, res, next) => (req.path === '/ping' ? void res.end() : next())

function idOf(browser: Browser): string {
  return /^s:([^.]+)/.exec(decodeURIComponent(browser.cookie('connect.sid') ?? ''))?.[1] ?? ''
}

declare module 'express-session' {
  interface SessionData {
    mfa?: { verified?: unknown }
  }
}

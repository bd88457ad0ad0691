import { describe, expect, it } from 'vitest'

import type { Browser } from '../support/browser.ts'
import { describeInFullRun, inFullRun } from '../support/full-run.ts'
import type { WebApp } from '../support/web-app.ts'
import { numberOn, startWebApp } from '../support/web-app.ts'

type Account = Awaited<ReturnType<WebApp['verify']>>

/** A user who has just signed in, and the user's device. */
async function arrange() {
  const app = await startWebApp()
  const account = await app.verify(app.browser(), 'alice')
  const browser = app.browser()
  await app.signIn(browser, 'alice')
  return { app, account, browser }
}

/** @returns where the person is led. */
async function pass(app: WebApp, account: Account, browser: Browser) {
  await app.answer(account, 'approve', numberOn(await browser.visit('/mfa')))
  return (await browser.submit('/mfa/complete')).headers['location']
}

describeInFullRun('a lost returnTo', () => {
  it.each([
    ['an icon', '/favicon.ico', { 'sec-fetch-mode': 'no-cors', accept: 'image/*' }],
    ['data', '/api/data', { 'sec-fetch-mode': 'cors', accept: '*/*' }],
    ['a frame', '/advert', { 'sec-fetch-dest': 'iframe' }],
    ['the style of the page', '/mfa/assets/style.css', { 'sec-fetch-mode': 'no-cors' }],
  ])('returnTo is not replaced by %s that the browser fetches meanwhile', async (_, path, headers) => {
    const { app, account, browser } = await arrange()
    await browser.visit('/reports?year=2026')

    await browser.open(path, headers)

    expect(await pass(app, account, browser)).toBe('/reports?year=2026')
  })

  it('returnTo is not lost after a denial, a timeout, and a wrong code', async () => {
    const { app, account, browser } = await arrange()
    await browser.visit('/reports?year=2026')
    await app.answer(account, 'deny')
    await browser.submit('/mfa/send')
    await app.clock.advance(91)
    await browser.submit('/mfa/code', { code: '000000' })
    await browser.submit('/mfa/send')

    expect(await pass(app, account, browser)).toBe('/reports?year=2026')
  })

  it('returnTo of a posted form is the page that the form is on', async () => {
    const { app, account, browser } = await arrange()

    await browser.submit('/orders', { amount: '1' }, { referer: `${app.url}/basket?step=2` })

    expect(await pass(app, account, browser)).toBe('/basket?step=2')
  })

  it('returnTo of a script is what it sets when it sends the user, including the fragment', async () => {
    const { app, account, browser } = await arrange()
    const { challenge } = (await browser.fetch('/account')).body as { challenge: string }

    await browser.visit(`${challenge}?returnTo=${encodeURIComponent('/page#/reports?year=2026')}`)

    expect(await pass(app, account, browser)).toBe('/page#/reports?year=2026')
  })

  it('returnTo of a script that requires a step-up is kept as well', async () => {
    const { app, account, browser } = await arrange()
    await browser.visit('/account')
    await pass(app, account, browser)
    await app.clock.advance(300)
    const { challenge } = (await browser.fetch('/danger')).body as { challenge: string }

    const page = await browser.visit(`${challenge}&returnTo=${encodeURIComponent('/page#/danger')}`)

    expect(page.text).toContain('Confirm that it&#39;s you')
    expect(await pass(app, account, browser)).toBe('/page#/danger')
    expect((await browser.fetch('/danger')).status).toBe(200)
  })
})

describe('a stale returnTo', () => {
  it('returnTo is never stale: the last request counts', async () => {
    const { app, account, browser } = await arrange()
    await browser.visit('/reports')

    await browser.visit('/invoices')

    expect(await pass(app, account, browser)).toBe('/invoices')
  })

  inFullRun('returnTo of a challenge that was passed is not that of the next one', async () => {
    const { app, account, browser } = await arrange()
    await browser.visit('/reports')
    await pass(app, account, browser)
    await app.clock.advance(300)

    await browser.visit('/danger')

    expect(await pass(app, account, browser)).toBe('/danger')
  })

  inFullRun('returnTo of one login is not that of the next login', async () => {
    const { app, account, browser } = await arrange()
    await browser.visit('/reports')
    await browser.submit('/logout')
    await app.signIn(browser, 'alice')

    expect(await pass(app, account, browser)).toBe('/')
  })
})

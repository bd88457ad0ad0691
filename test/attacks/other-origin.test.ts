import type { BrowserContext, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'

import { isLongRun } from '../support/full-run.ts'
import { keptPage } from '../support/kept-page.ts'
import { listen } from '../support/listen.ts'
import { sharedChromium } from '../support/shared-chromium.ts'
import { numberOn, startWebApp } from '../support/web-app.ts'

/**
 * A page elsewhere, in the browser of a user who is signed in: on another port, which for cookies is the same site, so
 * that they go along; and on another site.
 */
const browser = await sharedChromium()

const html = '<!doctype html><title>elsewhere</title><p>elsewhere'

/** The first is the more dangerous one: to a page of another site, browsers give no cookies. */
const allPlaces = [
  ['of the same site', (url: string) => url],
  ['of another site', (url: string) => url.replace('127.0.0.1', 'localhost')],
] as const
const places = isLongRun ? allPlaces : allPlaces.slice(0, 1)

/** Alice is signed in and her device has a request. She opens a page of the attacker in another tab. */
async function arrange(place: (url: string) => string) {
  const app = await startWebApp()
  const { account } = await app.enroll(app.browser(), 'alice')
  await app.answer(account, 'deny')
  const signedIn = app.browser()
  await app.signIn(signedIn, 'alice')
  const ownPage = await keptPage(browser)
  const context = ownPage.context()
  await context.addCookies([{ name: 'connect.sid', value: signedIn.cookie('connect.sid') ?? '', url: app.url }])
  await ownPage.goto(`${app.url}/account`)
  await ownPage.locator('#number').waitFor()
  const elsewhere = await listen((_req, res) => res.setHeader('content-type', 'text/html').end(html))
  const evil = await context.newPage()
  await evil.goto(place(elsewhere))
  const pending = async () => (await app.device.requests(account)).requests ?? []
  return { app, account, context, ownPage, evil, pending }
}

/** Submits a form, as any page can do to any URL. */
async function post(page: Page, action: string, fields: Record<string, string> = {}): Promise<void> {
  await Promise.all([
    page.waitForEvent('load'),
    page.evaluate(
      ([target, content]) => {
        const form = document.createElement('form')
        Object.assign(form, { method: 'post', action: target })
        for (const [name, value] of Object.entries(content)) {
          const input = document.createElement('input')
          Object.assign(input, { type: 'hidden', name, value })
          form.append(input)
        }
        document.body.append(form)
        form.submit()
      },
      [action, fields] as const,
    ),
  ])
}

const isIn = async (context: BrowserContext, url: string) =>
  ((await (await context.request.get(`${url}/account`)).json()) as { verified?: boolean }).verified === true

describe.each(places)('a page %s', (_where, place) => {
  it('a page of another origin neither cancels a request nor sends one to the device', async () => {
    const { app, evil, pending } = await arrange(place)
    const pendingBefore = await pending()

    await post(evil, `${app.url}/mfa/cancel`)
    await evil.goBack()
    await app.clock.advance(20)
    await post(evil, `${app.url}/mfa/send`)

    expect(pendingBefore).toHaveLength(1)
    expect(await pending()).toEqual(pendingBefore)
  })

  it('a page of another origin cannot try codes for the signed-in user', async () => {
    const { app, ownPage, evil } = await arrange(place)
    const read = async () => {
      await ownPage.goto(`${app.url}/mfa?use=code`)
      return ownPage.textContent('main')
    }
    const textBefore = await read()
    for (let guess = 0; guess < 6; guess += 1) {
      await post(evil, `${app.url}/mfa/code`, { code: '000000' })
      await evil.goBack()
    }

    // The page mentions neither wrong codes nor too many of them.
    expect(await read()).toBe(textBefore)
  })

  it('a page of another origin cannot complete a sign-in', async () => {
    const { app, account, context, ownPage, evil } = await arrange(place)
    const number = numberOn({ text: await ownPage.content() })
    await ownPage.close()
    await app.answer(account, 'approve', number)

    await post(evil, `${app.url}/mfa/complete`)

    expect(await isIn(context, app.url)).toBe(false)
  })

  it('a page of another origin cannot read the challenge page, its state or its events', async () => {
    const { app, account, ownPage, evil } = await arrange(place)
    await ownPage.close()
    // A request for the state is answered at once if something has changed.
    await app.answer(account, 'deny')

    const read = await evil.evaluate(async (url) => {
      const attempts = ['/mfa', '/mfa/status', '/account'].map((path) =>
        fetch(url + path, { credentials: 'include' }).then(
          (response) => response.text(),
          () => 'refused',
        ),
      )
      const events = new Promise<string>((resolve) => {
        const source = new EventSource(`${url}/mfa/events`, { withCredentials: true })
        const end = (text: string) => {
          source.close()
          resolve(text)
        }
        source.addEventListener('hello', () => end('heard'))
        source.addEventListener('error', () => end('refused'))
      })
      return Promise.all([...attempts, events])
    }, app.url)

    expect(read).toEqual(['refused', 'refused', 'refused', 'refused'])
  })

  it('a page of another origin cannot frame the challenge or the authenticator', async () => {
    const { app, evil } = await arrange(place)

    for (const path of ['/mfa', '/mfa/authenticator/']) {
      const framed = evil.waitForEvent('framenavigated', (frame) => frame !== evil.mainFrame())
      await evil.evaluate((url) => {
        const frame = document.createElement('iframe')
        frame.src = url
        document.body.append(frame)
      }, app.url + path)
      const frame = await framed

      // The browser shows its own error page in place of a page that must not be framed.
      await expect.poll(() => frame.url()).toMatch(/^chrome-error:/)
    }
  })

  it('a page of another origin uses up no tries of activation codes, and cannot call the device protocol', async () => {
    const { app, evil } = await arrange(place)
    const statuses = await evil.evaluate(async (url) => {
      const body = JSON.stringify({ code: 'abcdefghjk' })
      const results: string[] = []
      for (let attempt = 0; attempt < 20; attempt += 1) {
        const readable = await fetch(`${url}/mfa/device/preview`, { method: 'POST', body }).then(
          () => 'read',
          () => 'refused',
        )
        await fetch(`${url}/mfa/device/preview`, { method: 'POST', body, mode: 'no-cors' })
        results.push(readable)
      }
      return results
    }, app.url)

    const honest = await fetch(`${app.url}/mfa/device/preview`, {
      method: 'POST',
      body: JSON.stringify({ code: 'abcdefghjk' }),
    })

    expect(new Set(statuses)).toEqual(new Set(['refused']))
    expect(honest.status).toBe(404)
  })
})

import type { BrowserContextOptions, Page } from 'playwright-core'
import { createClient } from 'second-factor/client'
import { describe, expect, it } from 'vitest'

import { componentsOf } from '../support/components.ts'
import { keptPage } from '../support/kept-page.ts'
import { sharedChromium } from '../support/shared-chromium.ts'
import { numberOn, startWebApp } from '../support/web-app.ts'
import { walks } from './every-page.ts'
import type { Place } from './every-page.ts'
import type { RenderedPage } from './page-inspection.ts'
import { inspectStructure, inspectTexts, renderPage } from './page-inspection.ts'

const chromium = await sharedChromium()

/** A tab of Chromium with a user's cookies; not loaded yet. */
async function tabOf({ url, browser }: Pick<Place, 'url' | 'browser'>, options: BrowserContextOptions = {}) {
  const page = await keptPage(chromium, options)
  await page.context().addCookies(cookiesOf(url, browser))
  return page
}

/** The cookie of the user before has to go where nobody is signed in. */
function cookiesOf(url: string, browser: Place['browser']) {
  return [{ name: 'connect.sid', value: 'none', url }, ...browser.cookiesAt(url)]
}

/** A user with a device who was just asked to approve, in a tab that shows the request. */
async function waiting(prepare: (page: Page) => Promise<void> = async () => {}) {
  const app = await startWebApp()
  const browser = app.browser()
  const { account, page: firstPage } = await app.enroll(browser, 'alice')
  const page = await tabOf({ url: app.url, browser })
  await prepare(page)
  await page.goto(`${app.url}/mfa`)
  return { app, account, page, number: numberOn(firstPage) }
}

const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent?.trim() ?? '')

async function pressTabUntil(page: Page, label: string): Promise<void> {
  for (let presses = 0; presses < 12; presses++) {
    if ((await focused(page)) === label) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`no Tab leads to "${label}"`)
}

/** Components of the pages that axe has seen. */
const inspected = new Set<string>()

describe.each(Object.entries(walks))('the pages %s', (_, walk) => {
  it('the pages of mfa() are accessible in both languages and color schemes, from 320 pixels and at double font size', async () => {
    const page = await narrowTab()
    const wrong: string[] = []
    const pages: RenderedPage[] = []
    for await (const place of walk({ helpUrl: '/help', passwordUrl: '/password' })) {
      const rendered = await renderPage(place)
      const components = componentsOf(rendered.english)
      if (pages.length === 0 || [...components].some((each) => !inspected.has(each))) {
        await open(page, place)
        wrong.push(...(await inspectStructure(page, place.name)))
      }
      for (const each of components) inspected.add(each)
      pages.push(rendered)
    }
    wrong.push(...(await inspectTexts(page, pages)))

    expect(wrong).toEqual([])
  }, 120_000)

  async function narrowTab(): Promise<Page> {
    const page = await keptPage(chromium, { viewport: { width: 320, height: 640 } })
    await page.addInitScript(holdCompletion)
    return page
  }

  /** Runs in the page: what is settled would go on by itself. Without `page.route`, which turns off Chromium's cache. */
  function holdCompletion(): void {
    const call = window.fetch
    window.fetch = (input, init) =>
      typeof input === 'string' && input.endsWith('/complete') ? new Promise<Response>(() => {}) : call(input, init)
  }

  async function open(page: Page, { url, path, browser }: Place): Promise<void> {
    await page.context().addCookies(cookiesOf(url, browser))
    await page.goto(url + path)
  }
})

describe('by keyboard alone', () => {
  it('by keyboard alone, a user sets up a device: the link is the first stop after the headline', async () => {
    const app = await startWebApp()
    const browser = app.browser()
    await app.signIn(browser, 'alice')
    const page = await tabOf({ url: app.url, browser })
    await page.goto(`${app.url}/mfa`)

    expect(await focused(page)).toBe('Set up your device')
    await page.keyboard.press('Tab')
    expect(await focused(page)).toContain('Use this computer instead')
    const [authenticator] = await Promise.all([page.context().waitForEvent('page'), page.keyboard.press('Enter')])

    expect(authenticator.url()).toContain('/mfa/authenticator/#code=')
  })

  it('by keyboard alone, a user approves a sign-in: the result has the focus, the next action is the next stop', async () => {
    const { app, account, page } = await waiting()
    await expect.poll(() => focused(page)).toBe('Approve the sign-in')
    // The QR code is announced once it is wanted, and its text is its name.
    await page.getByText('Scan instead').click()
    expect((await page.locator('main').ariaSnapshot()).match(/Scan this in/g)).toHaveLength(1)

    await app.answer(account, 'deny')
    await page.getByRole('heading', { name: 'You denied this sign-in' }).waitFor()
    expect(await focused(page)).toBe('You denied this sign-in')
    await page.keyboard.press('Tab')
    expect(await focused(page)).toBe('It was me – try again')
    await page.keyboard.press('Enter')
    // It gets the focus when the page is first drawn.
    await expect.poll(() => focused(page).catch(() => '')).toBe('Approve the sign-in')

    await app.answer(account, 'approve', (await page.locator('#number').textContent()) ?? '')
    await page.waitForURL(`${app.url}/account`)
    expect(await page.textContent('body')).toContain('"verified":true')
  })

  it('by keyboard alone, a user enters a code: a wrong one, then one pasted in groups', async () => {
    const { app, page } = await waiting()
    const { baseUrl, apiKey, fetch } = await app.service.connect()
    const client = createClient({ baseUrl, apiKey, fetch })
    const { id } = await client.users.getByUsername('alice')
    const { code = '' } = await client.bypassCodes.create(id, { usesAllowed: 1, expirationTime: 60 })
    await page.reload()

    await pressTabUntil(page, 'Other ways to sign in')
    await page.keyboard.press('Enter')
    await page.getByText('Use a recovery code (1 left)').waitFor()
    await pressTabUntil(page, 'Use a recovery code (1 left)')
    await page.keyboard.press('Enter')
    await page.getByLabel('Code').waitFor()
    await page.keyboard.type('000000000\n')
    await page.getByRole('alert').waitFor()
    const field = page.locator(':focus')
    expect(await field.getAttribute('inputmode')).toBe('numeric')
    expect(await field.getAttribute('autocomplete')).toBe('one-time-code')
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    expect(await field.evaluate((input) => input.ariaDescribedByElements?.[0]?.textContent)).toContain('works once')

    await page.keyboard.insertText(`${code.slice(0, 3)} ${code.slice(3, 6)} ${code.slice(6)}`)
    await page.waitForURL(`${app.url}/account`)
  })

  it('by keyboard alone, a user reaches help and sign-out', async () => {
    const { page } = await waiting()

    await pressTabUntil(page, 'Cancel this sign-in')
    await pressTabUntil(page, 'Sign out')
    await page.goto(new URL('?use=other', page.url()).href)
    await page.getByText('Ask your administrator').waitFor()
    expect(await focused(page)).toBe('Other ways to sign in')
    await pressTabUntil(page, 'Sign out')
    await page.keyboard.press('Enter')

    await page.waitForURL((url) => url.pathname === '/')
  })
})

describe('the time', () => {
  it('the waiting page warns once, 20 seconds before the end, and leaves the focus where it is', async () => {
    const { page } = await waiting((tab) => tab.clock.install())
    const announcement = page.getByRole('status').filter({ hasText: 'out of time' })
    await page.getByRole('link', { name: 'Other ways to sign in' }).focus()

    await page.clock.runFor(69_000)
    expect(await announcement.count()).toBe(0)
    await page.clock.runFor(2_000)

    expect(await announcement.textContent()).toBe('Almost out of time. Send again?')
    expect(await page.locator('#time').textContent()).toBe('19 seconds left')
    expect(await focused(page)).toBe('Other ways to sign in')
  })

  it('users can extend the time of a sign-in request by sending it again, as often as they want', async () => {
    const { app, page } = await waiting()
    for (let times = 0; times < 3; times++) {
      await app.clock.advance(80)
      await page.reload()
      expect(await page.locator('#news').textContent()).toContain('out of time')
      await page.getByRole('button', { name: 'Send again' }).click()
      await page.getByRole('button', { name: 'Send again in' }).waitFor()
    }

    expect(await page.locator('#time').textContent()).toMatch(/^(90|89|88) seconds left$/)
  })

  it('the button that sends again counts down the time before a resend, and is enabled at the end', async () => {
    const { page } = await waiting((tab) => tab.clock.install())
    const send = page.locator('#send button')

    expect(await send.textContent()).toBe('Send again in 15 seconds')
    expect(await send.isDisabled()).toBe(true)
    await page.clock.runFor(5_000)
    expect(await send.textContent()).toBe('Send again in 10 seconds')
    await page.clock.runFor(10_000)

    expect(await send.textContent()).toBe('Send again')
    expect(await send.isEnabled()).toBe(true)
  })

  it('the server also shows and enforces the time before a resend', async () => {
    const app = await startWebApp()
    const browser = app.browser()
    const { account } = await app.enroll(browser, 'alice')
    await app.clock.advance(5)
    const [requestBefore] = (await app.device.requests(account)).requests ?? []

    const answer = await browser.submit('/mfa/send')
    const page = await browser.visit(answer.headers['location'] as string)

    expect((await app.device.requests(account)).requests).toEqual([requestBefore])
    expect(page.text).toContain('>Give your device a moment first.</p>')
    expect(page.text).toContain('>Send again in 10 seconds</button>')
  })

  it('the code page shows in the browser’s time zone when paused codes work again', async () => {
    const app = await startWebApp()
    const browser = app.browser()
    await app.enroll(browser, 'alice')
    for (let guess = 0; guess < 6; guess++) await browser.submit('/mfa/code', { code: '000000' })
    const page = await tabOf({ url: app.url, browser }, { timezoneId: 'Asia/Kolkata' })

    const { text } = await browser.visit('/mfa?use=code')
    await page.goto(`${app.url}/mfa?use=code`)

    const until = new Date(Number(/data-until="(\d+)"/.exec(text)?.[1]) * 1000)
    const localTime = until.toLocaleTimeString('en', { hour: 'numeric', minute: '2-digit', timeZone: 'Asia/Kolkata' })
    expect(text).toContain('Codes work again in')
    expect((await page.textContent('main'))?.replaceAll('\u202f', ' ')).toContain(localTime.replaceAll('\u202f', ' '))
  })
})

describe('a browser without script', () => {
  it('users of a browser without script can stop the page from reloading, and resume it', async () => {
    const app = await startWebApp()
    const browser = app.browser()
    const { page } = await app.enroll(browser, 'alice')

    const stopped = await browser.visit('/mfa?still')

    expect(page.text).toContain('http-equiv="refresh"')
    expect(page.text).toContain('<a href="/mfa?still">Stop this page from reloading</a>')
    expect(stopped.text).not.toContain('http-equiv="refresh"')
    expect(stopped.text).toContain('<a href="/mfa">Let this page reload automatically</a>')
  })
})

describe('the settings of the user’s system', () => {
  it('the pages respect the user’s system settings: nothing moves, and with forced colors the QR code stays dark on light', async () => {
    const app = await startWebApp()
    const browser = app.browser()
    await app.signIn(browser, 'alice')
    const page = await tabOf(
      { url: app.url, browser },
      {
        colorScheme: 'dark',
        reducedMotion: 'reduce',
        forcedColors: 'active',
      },
    )
    await page.goto(`${app.url}/mfa`)

    const moves = await page.evaluate(() =>
      [...document.querySelectorAll('*')].some((element) => {
        const { transitionDuration, animationName } = getComputedStyle(element)
        return transitionDuration !== '0s' || animationName !== 'none'
      }),
    )
    const backgroundColor = await page.locator('.qr').evaluate((element) => getComputedStyle(element).backgroundColor)

    expect(moves).toBe(false)
    expect(backgroundColor).toBe('rgb(255, 255, 255)')
  })
})

import compression from 'compression'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'

import { sharedChromium } from '../support/shared-chromium.ts'
import { openTab, openWaitingPage, show } from './waiting-page.ts'

const chromium = await sharedChromium()

const heading = (page: Page) => page.locator('h1').textContent()

describe('the waiting page', () => {
  it.each([
    ['plainly', []],
    ['through the compression middleware', [compression({ threshold: 0 })]],
  ])('the waiting page continues by its event stream alone, %s', async (_, before) => {
    const { page, device, traffic, arrived } = await openWaitingPage(chromium, { before })
    await expect.poll(() => traffic.open('/mfa/events')).toBe(1)

    await device.approve()
    await arrived()

    expect(traffic.asked('/mfa/status')).toBe(0)
    expect(await heading(page)).toBe('You are at /account')
  })

  it('the waiting page switches to held requests if a buffered stream delivers nothing for five seconds', async () => {
    const { page, device, traffic, arrived } = await openWaitingPage(chromium, { behindProxy: true })
    await expect.poll(() => traffic.open('/mfa/events')).toBe(1)

    await page.clock.fastForward(5000)
    await expect.poll(() => traffic.open('/mfa/status')).toBe(1)
    await expect.poll(() => traffic.open('/mfa/events')).toBe(0)
    await device.approve()

    await arrived()
  })

  it('the waiting page does not try streams again in a tab where they were buffered', async () => {
    const { page, traffic } = await openWaitingPage(chromium, { behindProxy: true })
    await page.clock.fastForward(5000)
    await expect.poll(() => traffic.open('/mfa/status')).toBe(1)

    await page.reload()
    await expect.poll(() => traffic.asked('/mfa/status')).toBe(2)

    expect(traffic.asked('/mfa/events')).toBe(1)
  })

  it('the waiting page switches to held requests if a stream falls silent', async () => {
    const { page, device, traffic, arrived } = await openWaitingPage(chromium)
    await expect.poll(() => traffic.open('/mfa/events')).toBe(1)
    // By then the page has heard that the stream is open.
    await page.evaluate(() => fetch('/mfa/assets/style.css'))

    await page.clock.fastForward(40_000)
    await expect.poll(() => traffic.open('/mfa/status')).toBe(1)
    await device.approve()

    await arrived()
  })

  it('the waiting page reloads without JavaScript, even behind the proxy', async () => {
    const context = { javaScriptEnabled: false }
    const { page, url, device } = await openWaitingPage(chromium, { behindProxy: true, context })
    const refresh = await page.locator('meta[http-equiv=refresh]').getAttribute('content')
    const [, path = ''] = /^\d+;url=(.+)/.exec(refresh ?? '') ?? []
    await device.approve()

    await page.goto(new URL(path, url).href)

    expect(page.url()).toBe(`${url}/account`)
  })
})

describe('a hidden page', () => {
  it('a hidden page holds no connection, and catches up when it is visible again', async () => {
    const { page, device, traffic, arrived } = await openWaitingPage(chromium)
    await expect.poll(() => traffic.open('/mfa/events')).toBe(1)

    await show(page, false)
    await expect.poll(() => traffic.open('/mfa/events')).toBe(0)
    await device.approve()
    expect(await heading(page)).toBe('Approve the sign-in')
    await show(page, true)

    await arrived()
  })

  it('a hidden page loads again when it is visible, if the browser has another challenge by then', async () => {
    const { url, page, device, context, arrived } = await openWaitingPage(chromium)
    await show(page, false)
    // As where tabs open at once at the first visit of a browser: the cookie of the last one stays.
    await context.clearCookies({ name: 'mfa-binding' })
    const other = await openTab(page, url)
    const number = await other.locator('#number').innerText()

    await show(page, true)

    await page.locator('#number', { hasText: number }).waitFor()
    await device.approve()
    await Promise.all([arrived(), other.waitForURL(`${url}/account`)])
  })

  it('only the visible one of three tabs holds a connection, and each continues once it is visible', async () => {
    const { url, page, device, traffic, arrived, events } = await openWaitingPage(chromium)
    const otherTabs: Page[] = []
    while (otherTabs.length < 2) {
      const other = await openTab(page, url)
      otherTabs.push(other)
      await show(other, false)
    }
    await expect.poll(() => traffic.open('/mfa/events')).toBe(1)

    await device.approve()
    await arrived()
    for (const other of otherTabs) await show(other, true)

    await Promise.all(otherTabs.map((other) => other.waitForURL(`${url}/account`)))
    expect(await Promise.all([page, ...otherTabs].map(heading))).toEqual(Array(3).fill('You are at /account'))
    expect(events.filter(({ type }) => type === 'push.sent')).toHaveLength(1)
  })

  it('the waiting page holds no connection while the phone sleeps, and catches up when it wakes', async () => {
    const { page, device, traffic, arrived } = await openWaitingPage(chromium)
    await expect.poll(() => traffic.open('/mfa/events')).toBe(1)

    // Chromium freezes no page that is in front, so it is told in the browser's place.
    await page.evaluate(() => document.dispatchEvent(new Event('freeze')))
    await expect.poll(() => traffic.open('/mfa/events')).toBe(0)
    await device.approve()
    await page.evaluate(() => document.dispatchEvent(new Event('resume')))

    await arrived()
  })
})

describe('a broken connection', () => {
  it('a broken connection is reported and never taken for a denial; the page continues when it is back', async () => {
    const { page, context, device, traffic, arrived } = await openWaitingPage(chromium)
    await expect.poll(() => traffic.open('/mfa/events')).toBe(1)
    const note = page.getByText('We continue as soon as the connection is back.')
    const time = () => page.textContent('#time')

    await context.setOffline(true)
    traffic.cut()
    await note.waitFor()
    const paused = await time()
    await page.clock.fastForward(60_000)
    expect([await heading(page), await time()]).toEqual(["You're offline", paused])
    await context.setOffline(false)
    await expect.poll(() => traffic.open('/mfa/events') + traffic.open('/mfa/status')).toBe(1)
    expect(traffic.asked('/mfa/complete')).toBe(0)
    await device.approve()

    await arrived()
  })

  it('a broken connection does not reload the page, which would show the error page of the browser', async () => {
    const { page, context, device, arrived } = await openWaitingPage(chromium)
    await context.setOffline(true)

    await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))
    for (let seconds = 0; seconds < 10; seconds++) await page.clock.fastForward(1000)
    expect(await heading(page)).toBe("You're offline")
    await device.approve()
    await context.setOffline(false)

    await arrived()
  })

  it('a connection that breaks at the very end is retried', async () => {
    const { page, device, traffic, arrived } = await openWaitingPage(chromium)
    await expect.poll(() => traffic.open('/mfa/events')).toBe(1)
    let failures = 0
    await page.route('**/mfa/complete', (route) => (failures++ === 0 ? route.abort() : route.continue()))

    await device.approve()
    await expect.poll(() => failures).toBe(1)
    expect(await heading(page)).toBe('Approve the sign-in')
    await page.clock.fastForward(2000)

    await arrived()
  })

  it('an error of a proxy is ignored: the waiting page keeps asking', async () => {
    const { page, url, device, traffic, arrived } = await openWaitingPage(chromium)
    await page.route(/\/mfa\/(events|status)\?/, (route) =>
      route.fulfill({ status: 502, body: '<h1>Bad gateway</h1>' }),
    )
    const refused = page.waitForResponse(/\/mfa\/events/)
    await page.goto(`${url}/mfa`)
    await refused

    const statusResponse = page.waitForResponse(/\/mfa\/status/)
    await page.clock.fastForward(2000)
    await statusResponse
    expect(await heading(page)).toBe('Approve the sign-in')
    await page.unroute(/\/mfa\/(events|status)\?/)
    await page.clock.fastForward(2000)
    await expect.poll(() => traffic.open('/mfa/status')).toBe(1)
    await device.approve()

    await arrived()
  })
})

describe('"Send again"', () => {
  it('Send again, when clicked twice, sends one request', async () => {
    const { page, device, events, service, traffic } = await openWaitingPage(chromium)
    const pushCount = () => events.filter(({ type }) => type === 'push.sent').length
    await service.clock.advance(15)
    await page.reload()

    await page.getByRole('button', { name: 'Send again' }).dblclick()
    await expect.poll(pushCount).toBe(2)
    await page.locator('#number').waitFor()

    expect(traffic.asked('/mfa/send')).toBe(1)
    expect(await device.pending()).toHaveLength(1)
    expect(pushCount()).toBe(2)
  })

  it('Send again can be clicked again if the browser stays on the page', async () => {
    const { page, events, service } = await openWaitingPage(chromium)
    await service.clock.advance(15)
    await page.reload()
    // As after a stop, the browser shows nothing new.
    await page.route('**/mfa/send', (route) => route.fulfill({ status: 204 }), { times: 1 })
    const sendAgain = page.getByRole('button', { name: 'Send again' })
    await Promise.all([page.waitForRequest('**/mfa/send'), sendAgain.click({ noWaitAfter: true })])

    await page.clock.fastForward(10_000)
    await sendAgain.click()

    await expect.poll(() => events.filter(({ type }) => type === 'push.sent').length).toBe(2)
  })
})

describe('the back button', () => {
  it('the back button skips the challenge that was passed', async () => {
    const { page, url, device, arrived } = await openWaitingPage(chromium)
    await device.approve()
    await arrived()
    await page.goto(`${url}/elsewhere`)

    await page.goBack()

    expect(page.url()).toBe(`${url}/account`)
    expect(await heading(page)).toBe('You are at /account')
  })

  it('the back button to a pending challenge updates the page, even from the page cache', async () => {
    const { page, device, service } = await openWaitingPage(chromium)
    await show(page, false)
    await service.clock.advance(91)
    expect(await device.pending()).toEqual([])

    await page.evaluate(() => dispatchEvent(new PageTransitionEvent('pageshow', { persisted: true })))

    await page.getByRole('heading', { name: 'Time ran out' }).waitFor()
  })
})

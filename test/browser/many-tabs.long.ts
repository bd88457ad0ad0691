import { request } from 'node:http'

import type { Page } from 'playwright-core'
import { describe, expect, it, onTestFinished } from 'vitest'

import { createBrowser } from '../support/browser.ts'
import { sharedChromium } from '../support/shared-chromium.ts'
import { openTab, openWaitingPage, show } from './waiting-page.ts'

const chromium = await sharedChromium()

const heading = (page: Page) => page.locator('h1').textContent()

/** Resolves when the page has heard what its stream said before. */
const hasHeard = (page: Page) => page.evaluate(() => fetch('/mfa/assets/style.css'))

describe('six windows of one web session', () => {
  it('six windows of a web session hold four streams without alternating; the two oldest poll, and check again on return', async () => {
    const { url, page, device, service, traffic } = await openWaitingPage(chromium)
    await expect.poll(() => traffic.open('/mfa/events')).toBe(1)
    const windows = [page]
    for (let count = 0; count < 5; count++) {
      windows.push(await openTab(page, url))
      // From the fifth on, as many are open as before: only those that were asked for tell whether it has its stream.
      await expect
        .poll(() => [traffic.asked('/mfa/events'), traffic.open('/mfa/events')])
        .toEqual([windows.length, Math.min(4, windows.length)])
    }

    for (const each of windows) await hasHeard(each)
    await page.clock.fastForward(9_000)
    expect([traffic.asked('/mfa/events'), traffic.open('/mfa/events')]).toEqual([6, 4])
    expect(traffic.asked('/mfa/status')).toBe(0)
    await page.clock.fastForward(6_000)
    await expect.poll(() => traffic.asked('/mfa/status')).toBe(2)
    expect([traffic.asked('/mfa/events'), traffic.open('/mfa/events')]).toEqual([6, 4])

    const [oldest] = windows
    if (oldest) await show(oldest, true)
    await expect.poll(() => traffic.asked('/mfa/events')).toBe(7)
    await expect.poll(() => traffic.open('/mfa/events')).toBe(4)

    await device.approve()
    await expect.poll(() => windows.filter((each) => each.url() === `${url}/account`).length).toBe(4)
    await service.clock.advance(1)
    await page.clock.fastForward(15_000)
    await Promise.all(windows.map((each) => each.waitForURL(`${url}/account`)))
    expect(await Promise.all(windows.map(heading))).toEqual(Array(6).fill('You are at /account'))
  })

  it('a window that was visible all the time also checks again when it is clicked', async () => {
    const { url, page, traffic } = await openWaitingPage(chromium)
    await expect.poll(() => traffic.open('/mfa/events')).toBe(1)
    for (let count = 0; count < 4; count++) await openTab(page, url)
    await expect.poll(() => traffic.asked('/mfa/events')).toBe(5)
    await expect.poll(() => traffic.open('/mfa/events')).toBe(4)

    await hasHeard(page)
    await page.evaluate(() => dispatchEvent(new FocusEvent('focus')))

    await expect.poll(() => traffic.asked('/mfa/events')).toBe(6)
  })
})

describe('a user with eight streams elsewhere', () => {
  it('with eight streams elsewhere, a user’s page opens no stream and polls every 15 seconds until it is verified', async () => {
    const { url, page, device, service, traffic, arrived } = await openWaitingPage(chromium)
    await expect.poll(() => traffic.open('/mfa/events')).toBe(1)
    await show(page, false)
    await expect.poll(() => traffic.open('/mfa/events')).toBe(0)
    const requestedPaths: string[] = []
    page.on('request', (call) => requestedPaths.push(new URL(call.url()).pathname))
    for (let session = 0; session < 2; session++) await holdStreams(url)
    await expect.poll(() => traffic.open('/mfa/events')).toBe(8)

    const refused = page.waitForResponse(/\/mfa\/events/)
    await show(page, true)
    expect((await refused).status()).toBe(204)
    await page.clock.fastForward(2_000)
    await expect.poll(() => traffic.asked('/mfa/status')).toBe(1)
    await hasHeard(page)
    await page.clock.fastForward(9_000)
    await hasHeard(page)
    expect(traffic.asked('/mfa/status')).toBe(1)
    await page.clock.fastForward(6_000)
    await expect.poll(() => traffic.asked('/mfa/status')).toBe(2)
    expect(requestedPaths.filter((path) => path === '/mfa/events')).toHaveLength(1)

    for (const _ of await device.pending()) await device.approve()
    await service.clock.advance(1)
    await page.clock.fastForward(15_000)
    await arrived()
  })
})

/** A browser of the same user, with four streams open. */
async function holdStreams(url: string): Promise<void> {
  const browser = createBrowser(url)
  await browser.visit('/login')
  const cookie = browser.cookies()
  for (let count = 0; count < 4; count++) {
    const call = request(`${url}/mfa/events`, { headers: { cookie }, agent: false }, (answer) => answer.resume())
    call.on('error', () => {})
    onTestFinished(() => void call.destroy())
    await new Promise<void>((resolve) => void call.once('response', () => resolve()).end())
  }
}

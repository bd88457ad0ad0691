import { describe, expect, it } from 'vitest'

import { keptPage } from '../support/kept-page.ts'
import { sharedChromium } from '../support/shared-chromium.ts'
import { numberOn, startWebApp } from '../support/web-app.ts'

const chromium = await sharedChromium()

async function openWaitingPage(options: { hasTouch?: boolean } = {}) {
  const app = await startWebApp()
  const user = app.browser()
  const { page: asked } = await app.enroll(user, 'alice')
  const page = await keptPage(chromium, {
    permissions: ['clipboard-read', 'clipboard-write'],
    isMobile: options.hasTouch ?? false,
    ...options,
  })
  await page.context().addCookies([{ name: 'connect.sid', value: user.cookie('connect.sid') ?? '', url: app.url }])
  await page.goto(`${app.url}/mfa`)
  return { page, number: numberOn(asked) }
}

const link = { name: 'Open the authenticator on this phone' }

describe('the number', () => {
  it('is copied by a button beside it, which then says so', async () => {
    const { page, number } = await openWaitingPage()

    await page.getByRole('button', { name: 'Copy' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()

    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(number)
  })
})

describe('the link to the authenticator on this phone', () => {
  it('is there on a touch screen, and nowhere else', async () => {
    const [desk, phone] = [await openWaitingPage(), await openWaitingPage({ hasTouch: true })]

    expect(await desk.page.getByRole('link', link).count()).toBe(0)
    expect(await phone.page.getByRole('link', link).count()).toBe(1)
  })
})

import type { BrowserContextOptions } from 'playwright-core'
import { describe, expect, it } from 'vitest'

import { phoneOptions } from '../authenticator/phone.ts'
import { describeInFullRun } from '../support/full-run.ts'
import { keptPage } from '../support/kept-page.ts'
import { sharedChromium } from '../support/shared-chromium.ts'
import { numberOn, startWebApp } from '../support/web-app.ts'

const chromium = await sharedChromium()

async function openWaitingPage(options: BrowserContextOptions = {}) {
  const app = await startWebApp()
  const user = app.browser()
  const { page: challengePage } = await app.enroll(user, 'alice')
  const page = await keptPage(chromium, options)
  await page.context().addCookies(user.cookiesAt(app.url))
  await page.goto(`${app.url}/mfa`)
  return { page, number: numberOn(challengePage) }
}

const link = { name: 'Open the authenticator on this phone' }

describe('the number', () => {
  it('the number is copied by a button beside it, which then says so', async () => {
    const { page, number } = await openWaitingPage()

    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Copy' }).click()
    await page.getByRole('button', { name: 'Copied' }).waitFor()

    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(number)
  })
})

describeInFullRun('the link to the authenticator on this phone', () => {
  it('the link to the authenticator on this phone is there on a touch screen, and nowhere else', async () => {
    const [desk, phone] = [await openWaitingPage(), await openWaitingPage(phoneOptions)]

    await phone.page.getByRole('link', link).waitFor()
    expect(await desk.page.getByRole('link', link).count()).toBe(0)
  })
})

import type { BrowserContextOptions } from 'playwright-core'
import { describe, expect, it } from 'vitest'

import { phoneOptions } from '../authenticator/phone.ts'
import { inFullRun } from '../support/full-run.ts'
import { keptPage } from '../support/kept-page.ts'
import { sharedChromium } from '../support/shared-chromium.ts'
import { startWebApp } from '../support/web-app.ts'

const chromium = await sharedChromium()

/** What a newcomer sees, in this order. */
async function seenBy(options: BrowserContextOptions) {
  const app = await startWebApp()
  const user = app.browser()
  await app.signIn(user, 'alice')
  await user.visit('/account')
  const page = await keptPage(chromium, options)
  await page.context().addCookies(user.cookiesAt(app.url))
  await page.goto(`${app.url}/mfa`)
  const parts = await page.locator('.scan > *:visible').all()
  const placed = await Promise.all(
    parts.map(async (part) => ({ top: (await part.boundingBox())?.y ?? 0, text: await part.innerText() })),
  )
  return placed.toSorted((a, b) => a.top - b.top).map(({ text }) => text.replaceAll(/\s+/g, ' ').trim() || 'QR code')
}

describe('the page that sets up a device', () => {
  it('the setup page of a device shows three steps, the QR code and, last, this computer on a desktop', async () => {
    expect(await seenBy({})).toEqual([
      'Open the camera on your phone Scan this code Tap “Add this account”',
      'QR code',
      'No phone? Use this computer instead (less safe)',
    ])
  })

  inFullRun('the setup page of a device has the button first on a touch screen', async () => {
    expect(await seenBy(phoneOptions)).toEqual([
      'Open the authenticator',
      'To use another device, scan this with its camera:',
      'QR code',
    ])
  })
})

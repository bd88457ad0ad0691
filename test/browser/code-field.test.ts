import { describe, expect, it } from 'vitest'

import { inFullRun } from '../support/full-run.ts'
import { keptPage } from '../support/kept-page.ts'
import { sharedChromium } from '../support/shared-chromium.ts'
import { startWebApp } from '../support/web-app.ts'

const chromium = await sharedChromium()

/** The page for a code, with the codes that were sent from it. */
async function openCodePage() {
  const app = await startWebApp()
  const user = app.browser()
  await app.enroll(user, 'alice')
  const page = await keptPage(chromium)
  await page.context().addCookies(user.cookiesAt(app.url))
  const submittedCodes: (string | null)[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST') submittedCodes.push(new URLSearchParams(request.postData() ?? '').get('code'))
  })
  await page.goto(`${app.url}/mfa?use=otp`)
  await page.locator('#code:focus').waitFor()
  return { page, submittedCodes }
}

describe('a code', () => {
  it('a code is submitted as soon as it is pasted or filled in by the browser', async () => {
    const { page, submittedCodes } = await openCodePage()

    // One change of the whole field, as a paste is.
    await page.keyboard.insertText('000 000')
    await page.getByRole('alert').waitFor()

    expect(submittedCodes).toEqual(['000 000'])
  })

  inFullRun('a code is never submitted while it is typed', async () => {
    const { page, submittedCodes } = await openCodePage()

    await page.keyboard.type('000000000')
    await page.evaluate(() => new Promise(requestAnimationFrame))
    expect(submittedCodes).toEqual([])
    await page.keyboard.press('Enter')
    await page.getByRole('alert').waitFor()

    expect(submittedCodes).toEqual(['000000000'])
  })
})

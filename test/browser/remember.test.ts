import { describe, expect, it } from 'vitest'

import { inFullRun } from '../support/full-run.ts'
import { keptPage } from '../support/kept-page.ts'
import { sharedChromium } from '../support/shared-chromium.ts'
import { numberOn, startWebApp } from '../support/web-app.ts'

const chromium = await sharedChromium()

async function openWaitingPage() {
  const app = await startWebApp({ mfa: { remember: { days: 30 } } })
  const user = app.browser()
  const { account, page: challengePage } = await app.enroll(user, 'alice')
  const page = await keptPage(chromium)
  const context = page.context()
  await context.addCookies(user.cookiesAt(app.url))
  await page.goto(`${app.url}/mfa`)
  return { app, account, page, context, number: numberOn(challengePage) }
}

const choice = { name: "Don't ask again on this browser for 30 days" }

describe('the choice to remember the browser', () => {
  it('the choice to remember the browser is saved at once, and before an approval is completed', async () => {
    const { app, account, page, context, number } = await openWaitingPage()
    let release = () => {}
    const released = new Promise<void>((resolve) => (release = resolve))
    await page.route('**/mfa/remember', (route) => released.then(() => route.continue()))

    await page.getByRole('checkbox', choice).check()
    await app.answer(account, 'approve', number)
    const completing = page.waitForRequest('**/mfa/complete')
    release()
    await completing
    await page.waitForURL(`${app.url}/account`)

    expect((await context.cookies()).map(({ name }) => name)).toContain('mfa-browser')
    expect(await page.textContent('body')).toContain('"verified":true')
    await context.clearCookies({ name: 'connect.sid' })
    const nextVisit = app.browser()
    await app.signIn(nextVisit, 'alice')
    await context.addCookies(nextVisit.cookiesAt(app.url))
    await page.goto(`${app.url}/account`)
    expect(await page.textContent('body')).toContain('"remembered":true')
  })

  inFullRun('the choice to remember the browser is shown as not made if it could not be saved', async () => {
    const { page } = await openWaitingPage()
    await page.route('**/mfa/remember', (route) => route.abort())
    const box = page.getByRole('checkbox', choice)

    const tried = page.waitForRequest('**/mfa/remember')
    await box.click()
    await tried

    await expect.poll(() => box.isChecked()).toBe(false)
  })
})

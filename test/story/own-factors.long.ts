import { readFile } from 'node:fs/promises'

import { Secret, TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'

import { isLongRun } from '../support/full-run.ts'
import { keptPage } from '../support/kept-page.ts'
import { sharedChromium } from '../support/shared-chromium.ts'
import { startWebApp } from '../support/web-app.ts'
import { expectAccessible } from './person.ts'

const chromium = await sharedChromium()

/** A user who has just entered the right password and has no factor yet. */
async function arrange(options: { readonly javaScriptEnabled: boolean }) {
  const app = await startWebApp({ mfa: { recoveryCodes: true } })
  const page = await keptPage(chromium, options)
  await page.request.post(`${app.url}/login`, { form: { username: 'alice', password: 'secret' }, maxRedirects: 0 })
  await page.goto(`${app.url}/account`)
  /** For what `express/accessibility.long.ts` does not open. Without script there is none of axe either. */
  const look = () => (options.javaScriptEnabled ? expectAccessible(page) : undefined)
  return { app, page, look }
}

/** What an app on the person's phone shows, once the key is typed there. */
async function codes(app: { clock: { now(): number } }, page: Page) {
  const secret = ((await page.locator('#secret').textContent()) ?? '').replaceAll(' ', '')
  const totp = new TOTP({ secret: Secret.fromBase32(secret), digits: 6, period: 30 })
  return () => totp.generate({ timestamp: app.clock.now() * 1000 })
}

const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true }).waitFor()
const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

/** Confirms a change with the next code of the app: a sign-in confirms none. */
async function confirmChange(app: Arranged['app'], page: Page, code: () => string) {
  await heading(page, 'Enter a code to change your devices')
  await app.clock.advance(30)
  await page.getByLabel('Code', { exact: true }).pressSequentially(code())
  await press(page, 'Verify')
}

type Arranged = Awaited<ReturnType<typeof arrange>>

/** From the page that sets up a device to the offer of recovery codes, with an authenticator app of one's own. */
async function setUpApp({ app, page, look }: Arranged) {
  await page.getByRole('link', { name: 'Use another authenticator app' }).click()
  await heading(page, 'Set up an authenticator app')
  const code = await codes(app, page)
  await page.getByLabel('Code from the app').fill('000000')
  await press(page, 'Set up')
  await page.getByRole('alert').waitFor()
  await look()
  await page.getByLabel('Code from the app').fill(code())
  await press(page, 'Set up')
  await heading(page, 'Your app is set up')
  await look()
  await app.clock.advance(30)
  await page.getByLabel('Code', { exact: true }).pressSequentially(code())
  await press(page, 'Verify')
  await heading(page, 'Save recovery codes')
  return code
}

/** From nothing to the list of recovery codes. */
async function setUpAppAndCodes(arranged: Arranged) {
  const { page } = arranged
  const code = await setUpApp(arranged)
  await press(page, 'Show my recovery codes')
  await heading(page, 'Recovery codes')
  return { code, count: await page.getByRole('listitem').count() }
}

describe('self-service in a real browser without JavaScript', () => {
  it('a user without JavaScript can set up a first app and recovery codes', async () => {
    const { count } = await setUpAppAndCodes(await arrange({ javaScriptEnabled: false }))

    expect(count).toBe(5)
  })
})

/** The forms are the same without script. */
const scripts = isLongRun ? [true, false] : [true]

describe.each(scripts)('self-service in a real browser, with JavaScript: %s', (javaScriptEnabled) => {
  /** Until the page says so: with script it goes there by itself, which would cancel a navigation by the test. */
  async function activate({ app, page }: Arranged): Promise<void> {
    await app.activate({ text: await page.content() })
    // Without script it reloads every few seconds.
    await (javaScriptEnabled ? app.clock.advance(1) : page.reload())
    await page.getByText('Your new device is set up.').waitFor()
  }

  it('a user can set up a first app and recovery codes, add a device and remove factors, except the last', async () => {
    const arranged = await arrange({ javaScriptEnabled })
    const { app, page, look } = arranged
    const { code, count } = await setUpAppAndCodes(arranged)
    expect(count).toBe(5)
    await look()
    expect(await page.getByRole('button', { name: 'Print' }).count()).toBe(javaScriptEnabled ? 1 : 0)
    const [download] = await Promise.all([page.waitForEvent('download'), press(page, 'Save as a file')])
    const [firstCode = ''] = await page.getByRole('listitem').allTextContents()
    expect(await readFile(await download.path(), 'utf8')).toContain(firstCode)
    await press(page, "I've saved them")
    await page.waitForURL(`${app.url}/account`)

    await page.goto(`${app.url}/mfa/devices`)
    await press(page, 'Set up a device')
    await confirmChange(app, page, code)
    await heading(page, 'Set up your device')
    await activate(arranged)
    await page.goto(`${app.url}/mfa/devices/device`)
    await press(page, 'Replace the device')
    await heading(page, 'Replace your device')
    await press(page, 'Keep the old one')

    await page.getByText('Remove the app').click()
    await look()
    await press(page, 'Remove it')
    await page.getByText("It's removed.").waitFor()
    await page.getByText('Remove the device').click()
    await page.getByText('This is your only one').waitFor()
  })
})

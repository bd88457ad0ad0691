import type { BrowserContextOptions } from 'playwright-core'
import { describe, expect, it } from 'vitest'

import { phoneOptions } from '../authenticator/phone.ts'
import { keptPage } from '../support/kept-page.ts'
import { sharedChromium } from '../support/shared-chromium.ts'
import { startExampleApp } from '../support/example-app.ts'
import { activate, createAccount, expectAccessible, numberOn, signIn, typeNumber, wrong } from './person.ts'

const chromium = await sharedChromium()

/** Two people's worth of browsers: one for the app, one that stands for the phone. */
async function arrange(web: BrowserContextOptions = {}) {
  const url = await startExampleApp()
  const [page, phone] = [await keptPage(chromium, web), await keptPage(chromium, phoneOptions)]
  return { url, phone, page }
}

/** From nothing to the open request of a person who has just set up a device. */
async function enrolled(web?: BrowserContextOptions) {
  const arranged = await arrange(web)
  const { page, phone, url } = arranged
  await createAccount(page, url, 'alice')
  await signIn(page, 'alice')
  const authenticator = await activate(phone, page)
  await page.locator('#number').waitFor()
  return { ...arranged, authenticator }
}

describe('the main path, with JavaScript', () => {
  it('leads from a new account through setting up a device to the app, each page accessible', async () => {
    const { url, page, phone } = await arrange()
    await page.goto(url)
    await expectAccessible(page)
    await createAccount(page, url, 'alice')
    await expectAccessible(page)
    await signIn(page, 'alice')
    await page.getByRole('heading', { name: 'Set up your device' }).waitFor()
    await expectAccessible(page)

    const authenticator = await activate(phone, page)
    await expectAccessible(authenticator)
    await page.locator('#number').waitFor()
    await expectAccessible(page)
    await authenticator.getByText('Sign in to').waitFor()
    await expectAccessible(authenticator)
    expect(page.url()).toBe(`${url}/mfa`)

    await typeNumber(authenticator, await numberOn(page))
    await authenticator.getByRole('button', { name: 'Approve' }).click()
    await page.waitForURL(`${url}/account`)
    expect(await page.locator('main').textContent()).toContain('Approved on your device')
    await expectAccessible(page)
  })

  it('shows user, address, browser and time on the device', async () => {
    const { authenticator } = await enrolled()

    await authenticator.getByText('Sign in to').waitFor()
    const shown = await authenticator.locator('main').innerText()

    expect(shown).toContain('alice')
    expect(shown).toContain('127.0.0.1')
    expect(shown).toContain('Chrome')
    expect(shown).toMatch(/[01]:\d\d/)
  })

  it('leads to the page requested first, and demands a step-up when the danger zone is entered late', async () => {
    const { url, page, authenticator } = await enrolled()
    await typeNumber(authenticator, await numberOn(page))
    await authenticator.getByRole('button', { name: 'Approve' }).click()
    await page.waitForURL(`${url}/account`)
    await page.getByRole('button', { name: 'Sign out' }).click()

    await page.goto(`${url}/danger-zone`)
    await signIn(page, 'alice')
    await page.locator('#number').waitFor()
    await typeNumber(authenticator, await numberOn(page))
    await authenticator.getByRole('button', { name: 'Approve' }).click()

    await page.waitForURL(`${url}/danger-zone`)
    await expectAccessible(page)
  })

  it.each([
    ['Yes, a mistake', 'You denied this sign-in', 'It was me – try again', 'Approve the sign-in'],
    ['No, report it', 'Reported', 'Use a code', 'Enter a code'],
  ])('says what happened after Deny and "%s", and offers a next step', async (button, headline, way, next) => {
    const { page, authenticator } = await enrolled()

    await authenticator.getByRole('button', { name: 'Deny' }).click()
    await authenticator.getByRole('button', { name: button }).click()
    await page.getByRole('heading', { name: headline }).waitFor()
    await expectAccessible(page)
    await page.getByText(way, { exact: true }).click()

    await page.getByRole('heading', { name: next }).waitFor()
  })

  it('says that the number was wrong, on both screens', async () => {
    const { page, authenticator } = await enrolled()

    await typeNumber(authenticator, wrong(await numberOn(page)))
    await authenticator.getByRole('button', { name: 'Approve' }).click()

    await page.getByRole('heading', { name: "That wasn't the right number" }).waitFor()
    await authenticator.getByText('The numbers didn’t match').waitFor()
    await expectAccessible(page)
    await expectAccessible(authenticator)
  })

  it('cancels the request on the device when the user cancels', async () => {
    const { page, authenticator } = await enrolled()

    await page.getByRole('button', { name: 'Cancel this sign-in' }).click()

    await page.getByRole('heading', { name: 'The sign-in was canceled' }).waitFor()
    await authenticator.getByText('Nothing to approve').waitFor()
    await expectAccessible(page)
  })
})

describe('the main path, without JavaScript', () => {
  it('continues by reloading, from setting up a device through a denial to the app', async () => {
    const { url, page, authenticator } = await enrolled({ javaScriptEnabled: false })

    await authenticator.getByRole('button', { name: 'Deny' }).click()
    await authenticator.getByRole('button', { name: 'Yes, a mistake' }).click()
    await page.getByRole('heading', { name: 'You denied this sign-in' }).waitFor()
    await page.getByRole('button', { name: 'It was me – try again' }).click()
    await typeNumber(authenticator, await numberOn(page))
    await authenticator.getByRole('button', { name: 'Approve' }).click()

    await page.waitForURL(`${url}/account`)
    expect(await page.locator('main').textContent()).toContain('Approved on your device')
  })
})

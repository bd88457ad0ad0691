import type { BrowserContextOptions, Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'

import { phoneOptions } from '../authenticator/phone.ts'
import { keptPage } from '../support/kept-page.ts'
import { sharedChromium } from '../support/shared-chromium.ts'
import { startExampleApp } from '../support/example-app.ts'
import { activate, createAccount, expectAccessible, numberOn, password, signIn, typeNumber, wrong } from './person.ts'

const chromium = await sharedChromium()

/** Two people's worth of browsers: one for the app, one that stands for the phone. */
async function arrange(web: BrowserContextOptions = {}) {
  const url = await startExampleApp()
  const [page, phone] = [
    await keptPage(chromium, web),
    await keptPage(chromium, { ...phoneOptions, reducedMotion: 'reduce' }),
  ]
  return { url, phone, page }
}

/** A new account, as the main path makes it on its pages, and its password. */
async function enter(page: Page, url: string): Promise<void> {
  const post = (path: string, form: Record<string, string>) =>
    page.request.post(url + path, { form, headers: { 'sec-fetch-site': 'same-origin' }, maxRedirects: 0 })
  const account = { username: 'alice', password }
  await post('/sign-up', { ...account, name: 'alice', email: 'alice@example.com' })
  await post('/sign-in', account)
  await page.goto(`${url}/account`)
}

/** From nothing to the open request of a person who has just set up a device. */
async function enrolled(web?: BrowserContextOptions) {
  const arranged = await arrange(web)
  const { page, phone, url } = arranged
  await enter(page, url)
  const authenticator = await activate(phone, page)
  if (web?.javaScriptEnabled === false) await reload(page)
  await page.locator('#number').waitFor()
  return { ...arranged, authenticator }
}

describe('the main path, with JavaScript', () => {
  // The pages of the second step and the screens of the device have accessibility tests of their own.
  it('the main path leads from a new account through the device to the app, whose own pages are accessible', async () => {
    const { url, page, phone } = await arrange()
    await page.goto(url)
    await expectAccessible(page)
    await createAccount(page, url, 'alice')
    await expectAccessible(page)
    await signIn(page, 'alice')

    const authenticator = await activate(phone, page)
    await page.locator('#number').waitFor()
    await authenticator.getByText('Sign in to').waitFor()
    const requestText = await authenticator.locator('main').innerText()
    expect(new URL(page.url()).pathname).toBe('/mfa')
    // The facts by which a person recognizes the own sign-in: user, address, browser and time left.
    for (const fact of ['alice', '127.0.0.1', 'Chrome', /[01]:\d\d/]) expect(requestText).toMatch(fact)

    await typeNumber(authenticator, await numberOn(page))
    await authenticator.getByRole('button', { name: 'Approve' }).click()
    await page.waitForURL(`${url}/account`)
    expect(await page.locator('main').textContent()).toContain('Approved on your device')
    await expectAccessible(page)
    await page.goto(`${url}/danger-zone`)
    await expectAccessible(page)
  })

  it('both screens say that a request was denied, was canceled or got a wrong number, and offer a next step', async () => {
    const { page, authenticator } = await enrolled()

    await authenticator.getByRole('button', { name: 'Deny' }).click()
    await authenticator.getByRole('button', { name: 'Yes, a mistake' }).click()
    await page.getByRole('heading', { name: 'You denied this sign-in' }).waitFor()
    await page.getByText('It was me – try again', { exact: true }).click()
    await page.getByRole('heading', { name: 'Approve the sign-in' }).waitFor()
    await authenticator.getByText('Sign in to').waitFor()
    await page.getByRole('button', { name: 'Cancel this sign-in' }).click()

    await page.getByRole('heading', { name: 'The sign-in was canceled' }).waitFor()
    // The phone says so until the person has read it, or starts again.
    await authenticator.getByText('No longer needed').waitFor()
    await page.getByRole('button', { name: 'Try again', exact: true }).click()
    await authenticator.getByText('Sign in to').waitFor()
    await typeNumber(authenticator, wrong(await numberOn(page)))
    await authenticator.getByRole('button', { name: 'Approve' }).click()

    await page.getByRole('heading', { name: "That wasn't the right number" }).waitFor()
    await authenticator.getByText('The numbers didn’t match').waitFor()
  })
})

describe('the main path, without JavaScript', () => {
  it('the main path without JavaScript continues by reloading, from device setup through a denial to the app', async () => {
    const { url, page, authenticator } = await enrolled({ javaScriptEnabled: false })

    await authenticator.getByRole('button', { name: 'Deny' }).click()
    await authenticator.getByRole('button', { name: 'Yes, a mistake' }).click()
    await authenticator.getByText('Nothing to approve').waitFor()
    await reload(page)
    await page.getByRole('heading', { name: 'You denied this sign-in' }).waitFor()
    await page.getByRole('button', { name: 'It was me – try again' }).click()
    await typeNumber(authenticator, await numberOn(page))
    await authenticator.getByRole('button', { name: 'Approve' }).click()
    await authenticator.getByText('Sign in to').waitFor({ state: 'detached' })
    await reload(page)

    await page.waitForURL(`${url}/account`)
    expect(await page.locator('main').textContent()).toContain('Approved on your device')
  })
})

/** As the page does by itself after some seconds. */
async function reload(page: Page): Promise<void> {
  const refresh = await page.locator('meta[http-equiv=refresh]').getAttribute('content')
  const [, address = ''] = /^\d+;url=(.+)/.exec(refresh ?? '') ?? []
  await page.goto(new URL(address, page.url()).href)
}

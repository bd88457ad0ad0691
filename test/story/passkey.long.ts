import { describe, expect, it } from 'vitest'

import { systemClock } from '../../src/ground/clock.ts'
import { startExampleApp } from '../support/example-app.ts'
import { keptPage } from '../support/kept-page.ts'
import { sharedChromium } from '../support/shared-chromium.ts'
import { addAuthenticator } from '../support/virtual-authenticator.ts'
import { people } from '../support/web-app.ts'
import { choosePhone, createAccount, numberOn, signIn } from './person.ts'

const chromium = await sharedChromium()

describe('a passkey in the example app', () => {
  it('the example app offers a passkey at the first sign-in after enrollment, which then signs in with one touch', async () => {
    const url = await startExampleApp({ recoveryCodes: true })
    const page = await keptPage(chromium)
    await addAuthenticator(page)
    const { activate, answer } = people(url, systemClock)
    await createAccount(page, url, 'alice')
    await signIn(page, 'alice')
    await choosePhone(page)
    const account = await activate({ text: await page.content() })
    await page.locator('#number').waitFor()
    await answer(account, 'approve', await numberOn(page))
    await page.getByRole('heading', { name: 'Save recovery codes' }).waitFor()
    await page.getByRole('button', { name: 'Not now' }).click()
    await page.waitForURL(`${url}/account`)

    // One offer at a time.
    await page.context().clearCookies()
    await page.goto(`${url}/sign-in`)
    await signIn(page, 'alice')
    await page.locator('#number').waitFor()
    await answer(account, 'approve', await numberOn(page))
    await page.getByRole('heading', { name: 'Next time: one touch' }).waitFor()
    await page.getByRole('link', { name: 'Add a passkey' }).click()
    await page.locator('#number').waitFor()
    await answer(account, 'approve', await numberOn(page))
    await page.getByRole('heading', { name: 'Add a passkey' }).waitFor()
    await page.getByRole('button', { name: 'Add passkey' }).click()
    await page.waitForURL(`${url}/account`)
    await page.context().clearCookies()
    await page.goto(`${url}/sign-in`)
    await signIn(page, 'alice')
    await page.waitForURL(`${url}/account`)

    expect(await page.getByRole('main').textContent()).toContain('With a passkey')
  })
})

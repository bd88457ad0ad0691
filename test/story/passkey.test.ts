import { describe, expect, it } from 'vitest'

import { phoneOptions } from '../authenticator/phone.ts'
import { startExampleApp } from '../support/example-app.ts'
import { keptPage } from '../support/kept-page.ts'
import { sharedChromium } from '../support/shared-chromium.ts'
import { addAuthenticator } from '../support/virtual-authenticator.ts'
import { activate, createAccount, numberOn, signIn, typeNumber } from './person.ts'

const chromium = await sharedChromium()

describe('a passkey in the example app', () => {
  it('is offered at the first visit after enrollment, and signs in with one touch from then on', async () => {
    const url = await startExampleApp({ recoveryCodes: true })
    const [page, phone] = [
      await keptPage(chromium),
      await keptPage(chromium, { ...phoneOptions, reducedMotion: 'reduce' }),
    ]
    await addAuthenticator(page)
    const approve = async (authenticator: Awaited<ReturnType<typeof activate>>) => {
      await typeNumber(authenticator, await numberOn(page))
      await authenticator.getByRole('button', { name: 'Approve' }).click()
    }
    await createAccount(page, url, 'alice')
    await signIn(page, 'alice')
    const authenticator = await activate(phone, page)
    await page.locator('#number').waitFor()
    await authenticator.getByText('Sign in to').waitFor()
    await approve(authenticator)
    await page.getByRole('heading', { name: 'Save recovery codes' }).waitFor()
    await page.getByRole('button', { name: 'Not now' }).click()

    await page.getByRole('heading', { name: 'Next time: one touch' }).waitFor()
    await page.getByRole('link', { name: 'Add a passkey' }).click()
    await page.locator('#number').waitFor()
    await authenticator.getByLabel('Enter the number from the sign-in page').waitFor()
    await approve(authenticator)
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

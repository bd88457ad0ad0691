import { describe, expect, it } from 'vitest'

import { arrange } from './enrolled.ts'
import { activate, createAccount, expectAccessible, numberOn, signIn, typeNumber } from './person.ts'

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
})

import { describe, expect, it } from 'vitest'

import { enrolled, reload } from './enrolled.ts'
import { numberOn, typeNumber, wrong } from './person.ts'

describe('the main path, with JavaScript', () => {
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

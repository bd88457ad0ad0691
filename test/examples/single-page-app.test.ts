import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { activate, numberOn, signIn, typeNumber } from '../story/person.ts'
import { launchChromium } from '../support/chromium.ts'
import { startExample } from './start-example.ts'

let chromium: Browser

beforeAll(async () => {
  chromium = await launchChromium()
})
afterAll(() => chromium.close())

describe('single-page-app.js', () => {
  it('leads to the second step and back to the view that the person was in', async () => {
    const { url } = await startExample('single-page-app.js')
    const contexts = await Promise.all([chromium.newContext(), chromium.newContext()])
    onTestFinished(() => Promise.all(contexts.map((context) => context.close())).then(() => undefined))
    const page = await contexts[0].newPage()

    await page.goto(`${url}/#/orders`)
    await signIn(page, 'alice', 'secret')
    const authenticator = await activate(contexts[1], page)
    await page.locator('#number').waitFor()
    await typeNumber(authenticator, await numberOn(page))
    await authenticator.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('button', { name: 'Not now' }).click()

    await page.getByRole('heading', { name: 'Orders of Alice' }).waitFor()
    expect(page.url()).toBe(`${url}/#/orders`)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  })
})

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { keptPage } from '../support/kept-page.ts'
import { sharedChromium } from '../support/shared-chromium.ts'
import { addAuthenticator } from '../support/virtual-authenticator.ts'
import { numberOn } from '../support/web-app.ts'
import { startRelyingApp } from './relying-app.ts'
import { startProvider } from './start-provider.ts'
import type { StartedProvider } from './start-provider.ts'

const chromium = await sharedChromium()

let provider: StartedProvider
let app: Awaited<ReturnType<typeof startRelyingApp>>

beforeAll(async () => {
  provider = await startProvider()
  app = await startRelyingApp(provider)
})
afterAll(async () => {
  await app.close()
  await provider.close()
})

describe('the provider in a browser', () => {
  it('the provider, in a browser, lets a person in by a code, who adds a passkey, and later signs in with one touch', async () => {
    const user = await provider.addUser('ada')
    const { code = '' } = await provider.api.bypassCodes.create(user.id, { usesAllowed: 1, expirationTime: 30 })
    const page = await keptPage(chromium)
    await addAuthenticator(page)

    await page.goto(`${app.url}/login`)
    await page.getByText('No passkey yet, or lost it?').click()
    await page.getByLabel('Username').fill('ada')
    // The page sends a complete code by itself.
    await page.getByLabel('Recovery code').fill(code)
    await page.getByRole('button', { name: 'Add passkey' }).click()
    await page.getByRole('heading', { name: 'Hello' }).waitFor()
    const first = await page.getByRole('heading').textContent()
    await page.context().clearCookies()
    await page.goto(`${app.url}/login`)
    await page.getByRole('button', { name: 'Use passkey' }).click()
    await page.getByRole('heading', { name: 'Hello' }).waitFor()

    expect(first).toContain(user.id)
    expect(await page.getByRole('heading').textContent()).toContain('"amr":["hwk","user","mfa"]')
  })

  it('the provider, in a browser, returns to the app from a page without JavaScript', async () => {
    const { account } = await provider.enroll('bea')
    const external = await startRelyingApp(provider, { kind: 'external', hint: 'bea' })
    const context = await chromium.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    const callback = page.waitForRequest(/^https:\/\/idp\.example\/callback\?code=/)
    await page.route('https://idp.example/**', (route) => route.fulfill({ body: 'back' }))

    await page.goto(`${external.url}/login`)
    await provider.answer(account, 'approve', numberOn({ text: await page.content() }))
    const { length } = await callback.then((request) => request.url())
    await context.close()
    await external.close()

    expect(length).toBeGreaterThan(0)
  })
})

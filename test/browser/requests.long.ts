import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'

import { keptPage } from '../support/kept-page.ts'
import { sharedChromium } from '../support/shared-chromium.ts'
import { addAuthenticator } from '../support/virtual-authenticator.ts'
import { numberOn, startWebApp } from '../support/web-app.ts'

const chromium = await sharedChromium()

/** What the page loads over the network from now on: each request, with the bytes of its response. */
async function watchNetwork(page: Page) {
  const session = await page.context().newCDPSession(page)
  const sent: string[] = []
  const cached = new Set<string>()
  const paths = new Map<string, string>()
  let bytes = 0
  await session.send('Network.enable')
  session.on('Network.requestWillBeSent', ({ requestId, request: { method, url } }) => {
    const path = `${method} ${new URL(url).pathname}`
    sent.push(path)
    paths.set(requestId, path)
  })
  session.on('Network.requestServedFromCache', ({ requestId }) => void cached.add(paths.get(requestId) ?? ''))
  session.on('Network.responseReceived', ({ requestId, response: { fromDiskCache } }) => {
    if (fromDiskCache) cached.add(paths.get(requestId) ?? '')
  })
  session.on('Network.loadingFinished', ({ encodedDataLength }) => void (bytes += encodedDataLength))
  return {
    requests: () => sent.filter((path) => !cached.has(path)),
    bytes: () => bytes,
  }
}

// With the scripts and styles of the pages in the browser's cache, where they stay for a year.
describe('the requests of a sign-in in a browser that was used before', () => {
  it('a sign-in by push takes five requests and less than 8 kB, also where the app compresses no page', async () => {
    const app = await startWebApp()
    const first = app.browser()
    const { account } = await app.enroll(first, 'alice')
    const page = await keptPage(chromium)
    await page.context().addCookies(first.cookiesAt(app.url))
    await page.goto(`${app.url}/mfa`)
    await page.waitForLoadState('networkidle')
    const user = app.browser()
    await user.submit('/login', { username: 'alice', password: 'secret' })
    const challenge = await user.visit('/mfa')
    await page.context().addCookies(user.cookiesAt(app.url))
    const network = await watchNetwork(page)

    await page.goto(`${app.url}/account`)
    await app.answer(account, 'approve', numberOn(challenge))
    await page.waitForURL(`${app.url}/account`)

    expect(network.requests()).toEqual([
      'GET /account',
      'GET /mfa',
      'GET /mfa/events',
      'POST /mfa/complete',
      'GET /account',
    ])
    expect(network.bytes()).toBeLessThan(8_000)
  })

  it('a sign-in by a passkey takes seven requests, with the proof of the browser that it keeps', async () => {
    const app = await startWebApp()
    // Browsers accept passkeys at names only.
    const url = app.url.replace('127.0.0.1', 'localhost')
    const page = await keptPage(chromium)
    const context = page.context()
    await addAuthenticator(page)
    const logIn = async () => {
      await context.clearCookies({ name: 'connect.sid' })
      await context.request.post(`${url}/login`, {
        form: { username: 'alice', password: 'secret' },
        maxRedirects: 0,
      })
    }
    await logIn()
    await page.goto(`${url}/account`)
    await page.getByRole('button', { name: 'This computer' }).click()
    await page.waitForURL(`${url}/account`)
    await logIn()
    await page.goto(`${url}/account`)
    await page.waitForURL(`${url}/account`)
    await logIn()
    const network = await watchNetwork(page)

    await page.goto(`${url}/account`)
    await page.waitForURL(`${url}/account`)
    await page.waitForLoadState('networkidle')

    expect(await page.textContent('body')).toContain('"verified":true')
    expect(network.requests()).toEqual([
      'GET /account',
      'GET /mfa',
      'POST /mfa/browser',
      'GET /mfa',
      'POST /mfa/passkey/options',
      'POST /mfa/passkey',
      'GET /account',
    ])
  })
})

import type { Cookie, Page } from 'playwright-core'
import type { MfaOptions } from 'second-factor'
import { describe, expect, it, onTestFinished } from 'vitest'

import { activateDevice, newUser, startService } from '../service/start-service.ts'
import { keptPage } from '../support/kept-page.ts'
import { listen } from '../support/listen.ts'
import { sharedChromium } from '../support/shared-chromium.ts'
import { addAuthenticator } from '../support/virtual-authenticator.ts'
import { startWebApp } from '../support/web-app.ts'

const chromium = await sharedChromium()

/** Alice with a device, and an app that she signs in to with a browser of her own. */
async function arrange(options: Partial<MfaOptions> = {}) {
  const service = await startService()
  onTestFinished(() => service.close())
  const { origin, apiKey, domain, clock, call } = service
  const connection = { baseUrl: `${origin}/api`, apiKey, domainId: domain.id }
  const app = await startWebApp({ mfa: { service: connection, clock, ...options } })
  const url = app.url.replace('127.0.0.1', 'localhost')
  const { json: user } = await call('POST', '/users', { body: newUser('alice') })
  await call('PUT', `/domains/${domain.id}/users/${user.id}`)
  const { json: token } = await call('PUT', `/domains/${domain.id}/users/${user.id}/token`)
  const alice = await activateDevice(origin, clock, token.code)
  const open = async (javaScriptEnabled = true, cookies: readonly Cookie[] = []) => {
    const page = await keptPage(chromium, javaScriptEnabled ? {} : { javaScriptEnabled })
    await page.context().addCookies([...cookies])
    return page
  }

  /** The password, and what the page then shows. */
  async function logIn(page: Page, username = 'alice') {
    await clock.advance(120)
    const form = { username, password: 'secret' }
    await page.context().request.get(`${url}/logout`, { maxRedirects: 0 })
    await page.context().request.post(`${url}/login`, { form, maxRedirects: 0 })
    await page.goto(`${url}/account`)
  }

  /** Her device approves. @returns what it was told of the browser. */
  async function approve(page: Page, answer: object = {}) {
    const number = await page.locator('#number').innerText()
    const [request] = await alice.pending()
    const later = await page.locator('main').getAttribute('data-later')
    if (later !== null && (await page.evaluate(() => 'subtle' in crypto))) {
      await page.locator('main[data-browser-key]').waitFor({ state: 'attached' })
    }
    await alice.device.answer(request!.id, { nonce: request!.nonce, decision: 'approve', number, ...answer })
    await page.waitForURL(`${url}/account`)
    return request!.newBrowser ? 'new' : 'kept'
  }

  /** She keeps the browser. */
  async function keep() {
    const page = await open()
    await logIn(page)
    await approve(page, { keepBrowser: true })
    return page
  }
  return { ...service, app, url, alice, open, logIn, approve, keep }
}

/** Runs in a page: what can be done with the key in the database of its origin. */
async function tryKey(): Promise<string> {
  const database = await new Promise<IDBDatabase>((resolve, reject) => {
    const opening = indexedDB.open('second-factor')
    opening.addEventListener('success', () => resolve(opening.result))
    opening.addEventListener('error', () => reject(new Error('no database')))
  })
  if (!database.objectStoreNames.contains('keys')) return 'none'
  const pair = await new Promise<CryptoKeyPair>((resolve) => {
    const reading = database.transaction('keys').objectStore('keys').get('browser')
    reading.addEventListener('success', () => resolve(reading.result as CryptoKeyPair))
  })
  const formats = await Promise.allSettled(
    (['pkcs8', 'jwk', 'raw'] as const).map((format) => crypto.subtle.exportKey(format as 'pkcs8', pair.privateKey)),
  )
  return `${pair.privateKey.algorithm.name} ${formats.map(({ status }) => status).join(' ')}`
}

describe('a browser that its user keeps', () => {
  it('a browser that its user keeps signs by itself from then on', async () => {
    const { keep, logIn, approve } = await arrange()
    const page = await keep()

    await logIn(page)

    expect(await approve(page)).toBe('kept')
  })

  it('a kept browser has a key that no script can take out of it', async () => {
    const { keep } = await arrange()
    const page = await keep()

    expect(await page.evaluate(tryKey)).toBe('ECDSA rejected rejected rejected')
  })

  it('a kept browser has no key for a page of another origin', async () => {
    const { keep } = await arrange()
    const page = await keep()
    const other = await listen((_req, res) => void res.setHeader('content-type', 'text/html').end('<p>elsewhere'))

    await page.goto(other.replace('127.0.0.1', 'elsewhere.localhost'))

    expect(await page.evaluate(tryKey)).toBe('none')
  })

  it('a kept browser counts as new, and signs in, where its key is gone', async () => {
    const { keep, open, logIn, approve } = await arrange()
    const page = await keep()
    const copied = await open(true, await page.context().cookies())

    await logIn(copied)

    expect(await approve(copied)).toBe('new')
  })

  it('a kept browser counts as new, and is asked to approve, where JavaScript is off', async () => {
    const { keep, open, logIn, alice } = await arrange()
    const page = await keep()
    const plain = await open(false, await page.context().cookies())

    await logIn(plain)
    await plain.locator('#number').waitFor()

    expect(await alice.pending()).toMatchObject([{ newBrowser: true }])
  })

  it('a browser is kept after a sign-in with a passkey', async () => {
    const { open, logIn, url } = await arrange()
    const page = await open()
    await addAuthenticator(page)
    await logIn(page, 'bob')
    await page.getByRole('button', { name: 'This computer' }).click()
    await page.waitForURL(`${url}/account`)
    await logIn(page, 'bob')
    await page.waitForURL(`${url}/account`)

    await page.goto(`${url}/mfa/devices`)

    expect(await page.locator('li.browser').innerText()).toMatch(/This browser[^]*Kept until/)
  })
})

describe("unknownBrowser: 'passkey'", () => {
  it('a new browser sends nothing to the device where unknownBrowser is passkey', async () => {
    const { open, logIn, alice } = await arrange({ unknownBrowser: 'passkey' })
    const page = await open()
    await logIn(page)
    await page.getByRole('heading', { name: 'This browser is new' }).waitFor()

    expect(await alice.pending()).toEqual([])
  })
})

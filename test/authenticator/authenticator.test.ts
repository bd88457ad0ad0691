import { gzipSync } from 'node:zlib'
import { readdirSync, readFileSync } from 'node:fs'

import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { createTestClock } from '../../src/testing/clock.ts'
import { launchChromium } from '../support/chromium.ts'
import { type RunningService, startService } from '../support/running-service.ts'

let browser: Browser
beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser.close())

/** A browser of its own, as another phone would be, with the authenticator open. */
async function open(service: RunningService, fragment = ''): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
  onTestFinished(() => context.close())
  const page = await context.newPage()
  await page.goto(`${service.url}/authenticator/${fragment}`)
  return page
}

async function add(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Add this account' }).click()
  await page.getByText('Nothing to approve').waitFor()
}

/** A service, and an authenticator that has joined as alice. */
async function joined() {
  const service = await startService()
  const { userId, code } = await service.enrol('alice')
  const page = await open(service, `#code=${code}`)
  await add(page)
  return { service, userId, page }
}

/** Waits until it is there to be seen. */
const seen = (locator: Locator) => locator.waitFor().then(() => true)
const headline = (page: Page, name: string) => seen(page.getByRole('heading', { level: 1, name }))

describe('adding an account', () => {
  it('shows what a link would join before anything is joined', async () => {
    const service = await startService()
    const { userId, code } = await service.enrol('alice')

    const page = await open(service, `#code=${code}`)
    await headline(page, 'Add this account?')

    const facts = await page.locator('.facts').innerText()
    for (const fact of ['Acme', 'Wiki', 'alice']) expect(facts).toContain(fact)
    expect(await service.client.tokens.get(service.domainId, userId)).toMatchObject({ state: 'pending' })
  })

  it('takes the code out of the address bar at once', async () => {
    const service = await startService()
    const { code } = await service.enrol('alice')

    const page = await open(service, `#code=${code}`)

    expect(page.url()).toBe(`${service.url}/authenticator/`)
  })

  it('takes a code that was typed, in any case and with blanks', async () => {
    const service = await startService()
    const { code } = await service.enrol('alice')
    const page = await open(service)

    await page.getByLabel('Activation code or link').fill(` ${code.slice(0, 5).toUpperCase()} ${code.slice(5)}`)
    await page.getByRole('button', { name: 'Continue' }).click()
    await add(page)

    expect(await seen(page.getByText('alice'))).toBe(true)
  })

  it('says what to do about a code that does not work', async () => {
    const page = await open(await startService(), '#code=zzzzzzzzz2')

    expect(await seen(page.getByRole('alert').getByText('That code does not work.'))).toBe(true)
  })

  it('does not take a link of another address', async () => {
    const page = await open(await startService())

    await page.getByLabel('Activation code or link').fill('https://evil.example/authenticator/#code=abcdefgh23')
    await page.getByRole('button', { name: 'Continue' }).click()

    expect(await seen(page.getByRole('alert').getByText('belongs to another address'))).toBe(true)
  })

  it('keeps keys that cannot be read out, for each account its own', async () => {
    const { service, page } = await joined()
    const { code } = await service.enrol('bob')
    await page.goto(`${service.url}/authenticator/#code=${code}`)
    await add(page)

    const keys = await page.evaluate(readKeys)

    expect(keys).toEqual(Array.from({ length: 4 }, () => ({ extractable: false, exported: 'InvalidAccessError' })))
  })
})

describe('the offline code of an account', () => {
  it('is shown when it is asked for, and signs in', async () => {
    const { service, page } = await joined()

    expect(await page.getByText(/\d{3} \d{3}/).count()).toBe(0)
    await page.getByRole('button', { name: 'Show code of alice at Wiki' }).click()
    const shown = await page.getByRole('button', { name: 'Copy code' }).innerText()
    const otp = shown.replace(/\D/g, '')

    expect(await service.ask('alice', { otp })).toMatchObject({ state: 'approved', factor: 'otp' })
  })

  it('is copied without its blank', async () => {
    const { service, page } = await joined()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Show code of alice at Wiki' }).click()

    await page.getByRole('button', { name: 'Copy code' }).click()
    await page.getByText('Copied').waitFor()

    const otp = await page.evaluate(() => navigator.clipboard.readText())
    expect(otp).toMatch(/^\d{6}$/)
    expect(await service.ask('alice', { otp })).toMatchObject({ state: 'approved' })
  })

  it('is hidden again when the page is left', async () => {
    const { page } = await joined()
    await page.getByRole('button', { name: 'Show code of alice at Wiki' }).click()
    await page.getByRole('button', { name: 'Copy code' }).waitFor()

    await page.evaluate(() => {
      Object.defineProperty(document, 'hidden', { value: true, configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))
    })

    expect(await seen(page.getByRole('button', { name: 'Show code of alice at Wiki' }))).toBe(true)
  })
})

describe('a request', () => {
  it('appears by itself, with who, from where, with what and when; the title counts it', async () => {
    const { service, page } = await joined()

    await service.ask('alice', {
      numberMatching: true,
      ipAddress: '203.0.113.7',
      attributes: [
        { key: 'Browser', value: 'Firefox' },
        { key: 'System', value: 'Windows' },
      ],
    })
    await headline(page, 'Sign in as alice?')

    const facts = await page.locator('.facts').innerText()
    for (const fact of ['203.0.113.7', 'reported by the app', 'Firefox', 'Windows', 'Time'])
      expect(facts).toContain(fact)
    expect(await page.title()).toBe('(1) Authenticator')
  })

  it('is approved with the number, and the list comes back by itself', async () => {
    const { service, page } = await joined()
    const session = await service.ask('alice', { numberMatching: true })

    await page.getByLabel('Type the number').fill(session.number!)
    await page.getByRole('button', { name: 'Approve' }).click()
    await headline(page, 'Approved')

    expect(await service.state(session.id)).toMatchObject({ state: 'approved' })
    await page.getByText('Nothing to approve').waitFor()
    expect(await page.title()).toBe('Authenticator')
  })

  it('is not approved without the number', async () => {
    const { service, page } = await joined()
    const session = await service.ask('alice', { numberMatching: true })

    await page.getByRole('button', { name: 'Approve' }).click()

    expect(await page.getByLabel('Type the number').evaluate((field: HTMLInputElement) => field.validity.valid)).toBe(
      false,
    )
    expect(await service.state(session.id)).toMatchObject({ state: 'pending' })
  })

  it.each([
    ['Deny', 'Denied', 'user_denied'],
    ['This was not me', 'Reported', 'reported'],
  ])('%s needs no number', async (button, word, reason) => {
    const { service, page } = await joined()
    const session = await service.ask('alice', { numberMatching: true })

    await page.getByRole('button', { name: button }).click()
    await headline(page, word)

    expect(await service.state(session.id)).toMatchObject({ state: 'denied', reason })
  })

  it('says where to go on after a wrong number', async () => {
    const { service, page } = await joined()
    const session = await service.ask('alice', { numberMatching: true })

    await page.getByLabel('Type the number').fill(session.number === '47' ? '48' : '47')
    await page.getByRole('button', { name: 'Approve' }).click()

    await headline(page, 'The numbers did not match')
    expect(await seen(page.getByText('Start again on the web page.'))).toBe(true)
  })

  it('leaves by itself when it is cancelled', async () => {
    const { service, page } = await joined()
    const session = await service.ask('alice')
    await headline(page, 'Sign in as alice?')

    await service.client.sessions.cancel(service.domainId, session.id)

    expect(await headline(page, 'No longer needed')).toBe(true)
  })

  it('is one of several: newest first, opened by a tap', async () => {
    const { service, page } = await joined()
    await service.ask('alice', { attributes: [{ key: 'Browser', value: 'Older' }] })
    await headline(page, 'Sign in as alice?')
    await service.ask('alice', { attributes: [{ key: 'Browser', value: 'Newer' }] })

    await page.getByRole('button', { name: 'All 2 requests' }).click()
    const rows = await page.locator('button.row').allInnerTexts()
    await page.locator('button.row').first().click()

    expect(rows.map((row) => /Older|Newer/.exec(row)?.[0])).toEqual(['Newer', 'Older'])
    expect(await page.locator('.facts').innerText()).toContain('Newer')
  })

  it('leaves by itself when its time is over', async () => {
    const clock = createTestClock()
    const service = await startService({ service: { clock } })
    const { code } = await service.enrol('alice')
    const page = await open(service)
    await page.clock.install()
    await page.goto(`${service.url}/authenticator/#code=${code}`)
    await add(page)
    await service.ask('alice')
    await headline(page, 'Sign in as alice?')

    await page.clock.fastForward(91_000)
    await clock.advance(91)

    expect(await headline(page, 'Time ran out')).toBe(true)
  })

  it('tells people what the app sends as text, never as markup', async () => {
    const { service, page } = await joined()

    await service.ask('alice', { attributes: [{ key: 'Browser', value: '<img src=x onerror=alert(1)>' }] })

    expect(await seen(page.getByText('<img src=x onerror=alert(1)>'))).toBe(true)
  })
})

describe('an account', () => {
  it('answers to its own user alone', async () => {
    const { service, page } = await joined()
    const { code } = await service.enrol('bob')
    await page.goto(`${service.url}/authenticator/#code=${code}`)
    await add(page)

    const session = await service.ask('bob')
    await headline(page, 'Sign in as bob?')
    await page.getByRole('button', { name: 'Approve' }).click()
    await headline(page, 'Approved')

    expect(await service.state(session.id)).toMatchObject({ state: 'approved' })
  })

  it('is removed from the device and from the service, after asking once more', async () => {
    const { service, userId, page } = await joined()

    await page.getByRole('button', { name: 'Remove alice at Wiki' }).click()
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await headline(page, 'Add an account')

    await expect(service.client.tokens.get(service.domainId, userId)).rejects.toMatchObject({
      code: 'api.error.notfound.token',
    })
    expect(await page.evaluate(readKeys)).toEqual([])
  })

  it('says by whom it was removed when it was not its owner', async () => {
    const { service, userId, page } = await joined()

    await service.client.tokens.revoke(service.domainId, userId)

    expect(await seen(page.getByText('This account was removed by Acme.'))).toBe(true)
  })

  it('is in every tab as soon as one has added it', async () => {
    const service = await startService()
    const { code } = await service.enrol('alice')
    const page = await open(service, `#code=${code}`)
    const other = await page.context().newPage()
    await other.goto(`${service.url}/authenticator/`)

    await add(page)

    expect(await seen(other.getByText('Nothing to approve'))).toBe(true)
  })
})

describe('trouble', () => {
  it('says that the device is offline, opens without a connection, and goes on by itself', async () => {
    const { service, page } = await joined()
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))
    await page.context().setOffline(true)

    await page.reload()
    await page.getByText('You are offline.').waitFor()
    await page.context().setOffline(false)
    await service.ask('alice')

    expect(await headline(page, 'Sign in as alice?')).toBe(true)
  })

  it('keeps the request on the screen when the answer did not get through', async () => {
    const { service, page } = await joined()
    const session = await service.ask('alice', { numberMatching: true })
    await page.getByLabel('Type the number').fill(session.number!)
    await page.route('**/answer', (route) => route.abort())

    await page.getByRole('button', { name: 'Approve' }).click()
    await page.getByRole('alert').getByText('The service does not answer.').waitFor()
    await page.unroute('**/answer')
    await page.getByRole('button', { name: 'Approve' }).click()

    expect(await headline(page, 'Approved')).toBe(true)
  })

  it('says plainly that a connection is not secure', async () => {
    const service = await startService()
    const context = await browser.newContext()
    onTestFinished(() => context.close())
    const page = await context.newPage()
    // Any name but localhost: browsers then give no keys to http.
    await page.route('http://mfa.example/**', async (route) => {
      const response = await route.fetch({ url: route.request().url().replace('http://mfa.example', service.url) })
      await route.fulfill({ response })
    })

    await page.goto('http://mfa.example/authenticator/')

    await headline(page, 'This page cannot keep your keys safe')
    expect(await seen(page.getByText('not secure'))).toBe(true)
  })
})

describe('the page', () => {
  it('keeps nothing of the device protocol for offline use', async () => {
    const { page } = await joined()
    await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined))

    const kept = await page.evaluate(async () => {
      const opened = await Promise.all((await caches.keys()).map((name) => caches.open(name)))
      return (await Promise.all(opened.map((cache) => cache.keys()))).flat().map(({ url }) => new URL(url).pathname)
    })

    expect(kept).toContain('/authenticator/')
    expect(kept.filter((path) => path.startsWith('/device'))).toEqual([])
  })

  it('shows the image of a domain, and the first letter of its name where there is none', async () => {
    const { service, page } = await joined()
    const emblem = page.locator('.emblem')
    const letter = await emblem.innerText()

    await service.setImage((await service.client.domains.image(service.domainId)).bytes)
    await page.reload()
    await emblem.locator('img').waitFor({ state: 'visible' })

    expect(letter).toBe('W')
    expect(await emblem.innerText()).toBe('')
  })

  it('breaks no rule of its own policy', async () => {
    const service = await startService()
    const { code } = await service.enrol('alice')
    const page = await open(service)
    await page.goto('about:blank')
    const complaints: string[] = []
    page.on('console', (message) => complaints.push(message.text()))
    page.on('pageerror', (error) => complaints.push(error.message))
    // What a script catches is in no console, but in the reports of the policy.
    await page.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', (event) => reportError(event.violatedDirective))
    })

    await page.goto(`${service.url}/authenticator/#code=${code}`)
    await add(page)
    await service.ask('alice', { numberMatching: true })
    await headline(page, 'Sign in as alice?')

    expect(complaints).toEqual([])
  })

  it('is small: under 60 kB over the wire', () => {
    const folder = new URL('../../dist/authenticator/assets/', import.meta.url)
    const sizes = readdirSync(folder).map((name) => gzipSync(readFileSync(new URL(name, folder))).length)

    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(60_000)
  })

  it.each(['light', 'dark'] as const)('has no accessibility violation on any screen, %s', async (colorScheme) => {
    const service = await startService()
    const { code } = await service.enrol('alice')
    const page = await open(service)
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })

    const violations: string[] = []
    const check = async (title: string) => {
      await headline(page, title)
      const found = await new AxeBuilder({ page }).analyze()
      violations.push(...found.violations.map(({ id, nodes }) => `${title}: ${id}: ${nodes[0]?.html}`))
    }

    await check('Add an account')
    await page.goto(`${service.url}/authenticator/#code=${code}`)
    await check('Add this account?')
    await add(page)
    await check('Waiting for requests')
    await page.getByRole('button', { name: 'Show code of alice' }).click()
    await page.getByRole('button', { name: 'Copy code' }).waitFor()
    await check('Waiting for requests')
    await service.ask('alice', { numberMatching: true, ipAddress: '203.0.113.7' })
    await check('Sign in as alice?')
    await page.getByLabel('Type the number').fill('00')
    await page.getByRole('button', { name: 'Approve' }).click()
    await check('The numbers did not match')
    await page.getByRole('button', { name: 'OK' }).click()
    await page.getByRole('button', { name: 'Remove alice' }).click()
    await check('Remove this account?')

    expect(violations).toEqual([])
  })
})

/** Runs in the page. */
async function readKeys(): Promise<{ extractable: boolean; exported: string }[]> {
  const database = await new Promise<IDBDatabase>((resolve) => {
    const request = indexedDB.open('second-factor')
    request.addEventListener('success', () => resolve(request.result))
  })
  const accounts = await new Promise<{ privateKey: CryptoKey; codeSecret: CryptoKey }[]>((resolve) => {
    const request = database.transaction('accounts').objectStore('accounts').getAll()
    request.addEventListener('success', () => resolve(request.result))
  })
  return Promise.all(
    accounts
      .flatMap(({ privateKey, codeSecret }) => [privateKey, codeSecret])
      .map(async (key) => ({
        extractable: key.extractable,
        exported: await crypto.subtle.exportKey('jwk', key).then(
          () => 'exported',
          (error: DOMException) => error.name,
        ),
      })),
  )
}

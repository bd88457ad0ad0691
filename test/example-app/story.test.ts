import { createClient } from 'second-factor/client'
import { describe, expect, it } from 'vitest'

import type { Account } from '../../src/device/account.ts'
import { createDevice } from '../../src/device/device.ts'
import { embedded } from '../../src/service/embedded.ts'
import { createTestClock } from '../../src/testing/clock.ts'
import { startExampleApp } from '../support/example-app.ts'
import { createBrowser } from './browser.ts'
import type { Browser, Page } from './browser.ts'

const alice = { username: 'alice', name: 'Alice', email: 'alice@example.com', password: 'correct horse' }

/** Its time is moved by hand. */
async function arrange() {
  const clock = createTestClock()
  const service = embedded({ database: ':memory:', clock })
  const publicUrl = await startExampleApp({ clock, service })
  return { clock, service, publicUrl, browser: createBrowser(publicUrl), device: createDevice({ clock }) }
}

type Arranged = Awaited<ReturnType<typeof arrange>>

/** Signs up and in, and activates a device by the code on the page. */
async function enroll({ browser, device, publicUrl }: Arranged) {
  await browser.submit('/sign-up', alice)
  await browser.submit('/sign-in', alice)
  const page = await browser.open('/mfa?use=phone')
  const code = /id="code">([^<]+)</.exec(page.text)?.[1] ?? ''
  return { page, account: await device.activate(`${publicUrl}/mfa`, code, { name: 'a device' }) }
}

/** Types the number that the page shows, approves, and lets the page go on by itself. */
async function approve({ device }: Arranged, account: Account, browser: Browser, page: Page): Promise<Page> {
  const { requests } = await device.requests(account)
  const number = /id="number">(\d+)</.exec(page.text)?.[1]
  await device.answer(account, requests![0]!, { decision: 'approve', number })
  return browser.refresh(page)
}

/** Everything up to the first page behind the second step. */
async function enter(arranged: Arranged): Promise<Account> {
  const { account, page } = await enroll(arranged)
  await approve(arranged, account, arranged.browser, await arranged.browser.refresh(page))
  return account
}

describe('the story of the example app', () => {
  it('the example app signs a new user in only after the new device has approved', async () => {
    const arranged = await arrange()
    const { account, page } = await enroll(arranged)

    const activated = await arranged.browser.refresh(page)
    const tooEarly = await arranged.browser.open('/account')
    const approved = await approve(arranged, account, arranged.browser, activated)

    expect(page.path).toBe('/mfa?use=phone')
    expect(activated.text).toContain('id="number"')
    expect(tooEarly.path).toBe('/mfa')
    expect(approved.path).toBe('/account')
    expect(approved.text).toContain('Approved on your device')
  })

  it('the example app continues to the requested page after the second step', async () => {
    const arranged = await arrange()
    const account = await enter(arranged)

    await arranged.browser.submit('/logout')
    const signIn = await arranged.browser.open('/danger-zone')
    const waiting = await arranged.browser.submit('/sign-in', { ...alice, next: '/danger-zone' })
    const last = await approve(arranged, account, arranged.browser, waiting)

    expect(signIn.path).toBe('/sign-in?next=%2Fdanger-zone')
    expect(last.path).toBe('/danger-zone')
  })

  it('the example app requires the second step again for the danger zone after five minutes', async () => {
    const arranged = await arrange()
    await enter(arranged)

    await arranged.clock.advance(299)
    const soon = await arranged.browser.open('/danger-zone')
    await arranged.clock.advance(2)
    const late = await arranged.browser.submit('/danger-zone', { password: 'battery staple' })
    const elsewhere = await arranged.browser.open('/account')

    expect(soon.path).toBe('/danger-zone')
    expect(late.path).toBe('/mfa')
    expect(elsewhere.path).toBe('/account')
  })

  it('the example app lists an added device on the account page, and links to all devices', async () => {
    const arranged = await arrange()
    await enter(arranged)

    const account = await arranged.browser.open('/account')
    const devices = await arranged.browser.open(/href="(\/mfa\/devices)"/.exec(account.text)?.[1] ?? '/no-link')

    expect(account.text).toContain('A device was added.')
    expect(devices.status).toBe(200)
    expect(devices.text).toContain('a device')
  })

  it('the example app shows on the account page that a recovery code was used', async () => {
    const arranged = await arrange()
    const { browser, service } = arranged
    const { page } = await enroll(arranged)
    await browser.refresh(page)
    const { baseUrl, apiKey, fetch } = await service.connect()
    const client = createClient({ baseUrl, apiKey, fetch })
    const { id } = await client.users.getByUsername('alice')
    const { code = '' } = await client.bypassCodes.create(id, { usesAllowed: 1, expirationTime: 60 })

    await browser.submit('/mfa/code', { code })

    expect((await browser.open('/account')).text).toContain('With a recovery code')
  })

  it('the example app signs other browsers out when the password is changed', async () => {
    const arranged = await arrange()
    const account = await enter(arranged)
    const other = createBrowser(arranged.publicUrl)
    const before = await approve(arranged, account, other, await other.submit('/sign-in', alice))

    const changed = await arranged.browser.submit('/danger-zone', { password: 'battery staple' })
    const after = await other.open('/account')

    expect(before.path).toBe('/account')
    expect(changed.text).toContain('Your password was changed')
    expect(after.path).toBe('/sign-in?next=%2Faccount')
  })
})

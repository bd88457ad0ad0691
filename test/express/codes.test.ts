import { Secret, TOTP } from 'otpauth'
import { createClient } from 'second-factor/client'
import { embedded } from 'second-factor/service'
import { describe, expect, it, onTestFinished } from 'vitest'

import { createTestClock } from '../../src/testing/clock.ts'
import { mainFrameworks, startOn } from '../support/frameworks.ts'
import { describeInFullRun, inFullRun } from '../support/full-run.ts'
import { numberOn } from '../support/web-app.ts'
import type { WebApp } from '../support/web-app.ts'

const seed = '3132333435363738393031323334353637383930'

/** What an administrator does, over the REST interface. */
async function administratorOf(app: Pick<WebApp, 'service'>) {
  const { baseUrl, apiKey, domainId, fetch } = await app.service.connect()
  const client = createClient({ baseUrl, apiKey, fetch })
  return {
    client,
    async member(username: string) {
      const user = await client.users.create({ username, name: username, email: 'person@example.com' })
      await client.domains.addUser(domainId, user.id)
      return user
    },
    async bypassCode(username: string): Promise<string> {
      const { id } = await client.users.getByUsername(username)
      return (await client.bypassCodes.create(id, { usesAllowed: 1, expirationTime: 60 })).code ?? ''
    },
    async hardwareToken(userId: string) {
      const token = await client.hardware.create({ serialNumber: 'S1', type: 'TOTP6', timeStep: 30, seed })
      await client.hardware.assign(userId, token.id)
    },
  }
}

/** Records the last word of each POST to the service. An older one ignores `redeem`. */
function observed(handle: ReturnType<typeof embedded>, isOlder: boolean) {
  const calls: string[] = []
  async function connect() {
    const connection = await handle.connect()
    const send: typeof fetch = async (input, init = {}) => {
      const { url } = new Request(input)
      if (init.method === 'POST') calls.push(url.slice(url.lastIndexOf('/') + 1))
      const body = isOlder && typeof init.body === 'string' ? withoutRedeem(init.body) : init.body
      return (connection.fetch ?? fetch)(input, { ...init, ...(body ? { body } : {}) })
    }
    return { ...connection, fetch: send }
  }
  return { service: { ...handle, connect }, calls }
}

const withoutRedeem = (body: string) => JSON.stringify({ ...(JSON.parse(body) as object), redeem: undefined })

const hardwareCode = (now: number) =>
  new TOTP({ secret: Secret.fromHex(seed), digits: 6, period: 30 }).generate({ timestamp: now * 1000 })

const verifiedBy = async (browser: ReturnType<WebApp['browser']>) =>
  (await browser.fetch('/account')).body.mfa?.verified?.factor as string | undefined

describe.each(mainFrameworks)('a code instead of the device on %s', (framework) => {
  inFullRun('users enter a code on a page of its own, which does not reload while they type', async () => {
    const app = await startOn(framework)
    const browser = app.browser()
    await app.enroll(browser, 'alice')

    const entry = await browser.visit('/mfa?use=code')

    expect(entry.text).toContain('autocomplete="one-time-code"')
    expect(entry.text).toContain('inputmode="numeric"')
    expect(entry.text).not.toContain('http-equiv="refresh"')
  })

  inFullRun(
    'a bypass code passes the second step, is reported as the factor, and cancels the request on the device',
    async () => {
      const app = await startOn(framework)
      const browser = app.browser()
      const { account } = await app.enroll(browser, 'alice')
      const code = await (await administratorOf(app)).bypassCode('alice')

      const answer = await browser.submit('/mfa/code', { code: ` ${code.slice(0, 3)} ${code.slice(3)}` })

      expect(answer.headers['location']).toBe('/account')
      expect(await verifiedBy(browser)).toBe('bypass')
      expect((await app.device.requests(account)).requests).toEqual([])
    },
  )

  inFullRun('the code page is the first page for users with a hardware token and no device', async () => {
    const app = await startOn(framework)
    const administrator = await administratorOf(app)
    await administrator.hardwareToken((await administrator.member('alice')).id)
    const browser = app.browser()
    await app.signIn(browser, 'alice')

    expect((await browser.visit('/reports')).text).toContain('Enter a code')
    const answer = await browser.submit('/mfa/code', { code: hardwareCode(app.clock.now()) })

    expect(answer.headers['location']).toBe('/reports')
    expect(await verifiedBy(browser)).toBe('otp')
  })

  inFullRun('a code works once: the same code does not verify a second browser', async () => {
    const app = await startOn(framework)
    const administrator = await administratorOf(app)
    await administrator.hardwareToken((await administrator.member('alice')).id)
    const code = hardwareCode(app.clock.now())
    const [firstBrowser, secondBrowser] = [app.browser(), app.browser()]
    for (const browser of [firstBrowser, secondBrowser]) await app.signIn(browser, 'alice')

    await Promise.all([firstBrowser, secondBrowser].map((browser) => browser.submit('/mfa/code', { code })))

    const verified = await Promise.all([firstBrowser, secondBrowser].map(verifiedBy))
    expect(verified.filter(Boolean)).toHaveLength(1)
  })

  it.each([
    ['in one call', false, ['sessions']],
    ['in two calls by a service that does not know how to redeem it at once', true, ['sessions', 'redeem']],
  ])('a code is checked and redeemed %s', async (_, isOlder, expected) => {
    const clock = createTestClock()
    const { service, calls } = observed(embedded({ database: ':memory:', clock }), isOlder)
    const app = await startOn(framework, { mfa: { service, clock } })
    const administrator = await administratorOf({ service })
    await administrator.member('alice')
    const code = await administrator.bypassCode('alice')
    const browser = app.browser()
    await app.signIn(browser, 'alice')
    calls.length = 0

    await browser.submit('/mfa/code', { code })

    expect(await verifiedBy(browser)).toBe('bypass')
    expect(calls).toEqual(expected)
  })

  inFullRun('a wrong code is rejected without the reason, and the device can still approve', async () => {
    const app = await startOn(framework)
    const browser = app.browser()
    const { account, page } = await app.enroll(browser, 'alice')

    const wrong = await browser.submit('/mfa/code', { code: '000000' })
    const entry = await browser.visit(wrong.headers['location'] as string)

    expect(wrong.headers['location']).toBe('/mfa?use=code')
    expect(entry.text).toContain('That code didn&#39;t work')
    expect(entry.text).toContain('aria-invalid="true"')
    expect(await verifiedBy(browser)).toBeUndefined()
    await app.answer(account, 'approve', numberOn(page))
    await browser.submit('/mfa/complete')
    expect(await verifiedBy(browser)).toBe('push')
  })

  inFullRun.each(['', '12345', 'abcdef', '1234567890', "' or 1=1"])(
    'the service is not even asked about a text that cannot be a code: %j',
    async (code) => {
      const handle = embedded({ database: ':memory:' })
      onTestFinished(() => handle.close())
      const { service, calls } = observed(handle, false)
      const app = await startOn(framework, { mfa: { service } })
      const browser = app.browser()
      await app.enroll(browser, 'alice')
      calls.length = 0

      await browser.submit('/mfa/code', { code })

      expect(calls).toEqual([])
      expect((await browser.visit('/mfa?use=code')).text).toContain('A code has 6 to 9 digits.')
    },
  )

  inFullRun('a code that is posted from another site is refused', async () => {
    const app = await startOn(framework)
    const browser = app.browser()
    await app.enroll(browser, 'alice')
    const code = await (await administratorOf(app)).bypassCode('alice')

    const answer = await browser.submit('/mfa/code', { code }, { 'sec-fetch-site': 'cross-site' })

    expect(answer.status).toBe(403)
    expect(await verifiedBy(browser)).toBeUndefined()
  })

  inFullRun('a code of a factor that the app does not accept verifies nobody', async () => {
    const app = await startOn(framework, { mfa: { factors: ['push'] } })
    const browser = app.browser()
    await app.enroll(browser, 'alice')
    const code = await (await administratorOf(app)).bypassCode('alice')

    await browser.submit('/mfa/code', { code })

    expect((await browser.visit('/mfa?use=other')).text).not.toContain('use=otp')
    expect(await verifiedBy(browser)).toBeUndefined()
    expect((await browser.visit('/mfa?spent')).text).toContain('Time ran out')
  })
})

describeInFullRun.each(mainFrameworks)('an approval that can no longer be used on %s', (framework) => {
  it('an approval that can no longer be used leads to a page with a next step, not into a loop', async () => {
    const app = await startOn(framework)
    const browser = app.browser()
    const { account, page } = await app.enroll(browser, 'alice')
    await app.answer(account, 'approve', numberOn(page))
    app.clock.skip(3600)

    const late = await browser.submit('/mfa/complete')
    const spentPage = await browser.visit(late.headers['location'] as string)

    expect(late.headers['location']).toBe('/mfa?spent')
    expect(spentPage.text).toContain('Time ran out')
    expect(spentPage.text).not.toContain('data-settled')
    await browser.submit('/mfa/send')
    expect((await browser.visit('/mfa')).text).toContain('Approve the sign-in')
  })
})

import { mfa } from 'second-factor'
import type { MfaOptions } from 'second-factor'
import { embedded } from 'second-factor/service'
import { createClient } from 'second-factor/client'
import { describe, expect, it, onTestFinished } from 'vitest'

import type { CreationOptions, RequestOptions } from '../../src/contract/webauthn.ts'
import { createBrowser } from '../support/browser.ts'
import type { Browser } from '../support/browser.ts'
import { createAuthenticator } from '../../src/testing/software-authenticator.ts'
import { inFullRun } from '../support/full-run.ts'
import { numberOn, startWebApp } from '../support/web-app.ts'

/** An app at a name, where browsers accept passkeys. */
async function startApp(options: Partial<MfaOptions> = {}) {
  const app = await startWebApp({ mfa: options })
  const url = app.url.replace('127.0.0.1', 'localhost')
  const authenticator = createAuthenticator({ origin: url })
  const browser = createBrowser(url)

  /** Adds a passkey as the first factor. */
  async function enroll(username = 'alice'): Promise<void> {
    await app.signIn(browser, username)
    await browser.visit('/account')
    const { text } = await browser.submit('/mfa/enroll/passkey/options')
    const response = JSON.stringify(authenticator.make(JSON.parse(text) as CreationOptions))
    await browser.submit('/mfa/enroll/passkey', { name: 'Laptop', response })
  }

  /** Uses it, in a browser that has been asked for it. */
  async function pass(passingBrowser: Browser = browser) {
    const { text } = await passingBrowser.submit('/mfa/passkey/options')
    const response = JSON.stringify(authenticator.use(JSON.parse(text) as RequestOptions))
    return passingBrowser.submit('/mfa/passkey', { response })
  }

  return { ...app, url, browser, authenticator, enroll, pass }
}

const verified = async (browser: Browser) => (await browser.open('/account')).status === 200

describe('the option passkeys', () => {
  const start = (options: Partial<MfaOptions>) => {
    const warnings: string[] = []
    const service = embedded({ database: ':memory:' })
    onTestFinished(() => service.close())
    mfa({ service, logger: { info() {}, warn: (line) => void warnings.push(line), error() {} }, ...options })
    return warnings
  }
  const publicUrl = 'https://app.example'

  it.each([
    [{ rpId: 'app.example' }, undefined, 'passkeys.rpId and passkeys.origins need publicUrl'],
    [
      { rpId: 'other.example' },
      publicUrl,
      'passkeys.rpId: expected app.example or a domain above it, got other.example',
    ],
    [{ rpId: 'pp.example' }, publicUrl, 'passkeys.rpId: expected app.example or a domain above it, got pp.example'],
    [{ origins: ['https://shop.example'] }, publicUrl, 'passkeys.origins: expected https://app.example'],
    [{ rpId: '192.0.2.1' }, publicUrl, 'passkeys.rpId: must be a domain name'],
    [{ origins: ['https://app.example/path'] }, publicUrl, 'passkeys.origins'],
    [{ rpName: '' }, publicUrl, 'passkeys.rpName'],
  ])('the option passkeys rejects %j with the address %s', (passkeys, address, message) => {
    expect(() => start({ passkeys, publicUrl: address })).toThrow(message)
  })

  inFullRun.each([
    [{}, publicUrl],
    [{ rpId: 'example.com' }, 'https://shop.example.com'],
    [{ rpId: 'shop.example', origins: ['https://shop.example', publicUrl] }, publicUrl],
    [false as const, 'http://192.0.2.1'],
  ])('the option passkeys accepts %j with the address %s', (passkeys, address) => {
    expect(start({ passkeys, publicUrl: address })).toEqual([])
  })

  it.each(['http://192.0.2.1:3000', 'https://[2001:db8::1]'])(
    'the option passkeys is off at the address %s, with one line in the log',
    (address) => {
      expect(start({ publicUrl: address })).toEqual([expect.stringContaining('passkeys are off')])
    },
  )
})

describe('/.well-known/webauthn', () => {
  it('/.well-known/webauthn names the origins of several apps, also to users who have not signed in', async () => {
    const origins = ['https://shop.example', 'https://app.example']
    const app = await startWebApp({
      mfa: { publicUrl: 'https://app.example', passkeys: { rpId: 'shop.example', origins } },
    })

    const answer = await fetch(`${app.url}/.well-known/webauthn`)

    expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
    expect(await answer.json()).toEqual({ origins })
    expect(answer.headers.get('set-cookie')).toBeNull()
  })

  it('/.well-known/webauthn belongs to the app where all origins are at the name of the relying party', async () => {
    const app = await startApp()
    await app.signIn(app.browser, 'alice')

    expect((await app.browser.open('/.well-known/webauthn')).status).toBe(303)
  })
})

describe('passkeys', () => {
  inFullRun('passkeys pass the second step, and are asked for before any request is sent to a device', async () => {
    const app = await startApp()
    await app.enroll()

    const passkeyPage = await app.browser.open('/mfa')
    const passed = await app.pass()

    expect(passkeyPage.text).toContain('Use your passkey')
    expect(passed.headers['location']).toBe('/account')
    expect(await verified(app.browser)).toBe(true)
  })

  it('passkeys are not accepted by an app whose factors do not include them', async () => {
    const app = await startApp({ factors: ['push', 'otp', 'bypass'] })
    await app.signIn(app.browser, 'alice')
    const page = await app.browser.visit('/account')

    const started = await app.browser.submit('/mfa/passkey/options')
    const enrollAnswer = await app.browser.submit('/mfa/enroll/passkey/options')
    const used = await app.browser.submit('/mfa/passkey', { response: '{}' })

    expect(page.text).not.toContain('passkey')
    expect(started.status).toBe(404)
    expect(enrollAnswer.headers['location']).toBe('/mfa')
    expect(used.headers['location']).toBe('/mfa?use=passkey')
    expect(await verified(app.browser)).toBe(false)
  })

  it('passkeys are not offered where the service cannot verify them', async () => {
    const service = embedded({ database: ':memory:' })
    onTestFinished(() => service.close())
    const app = await startApp({
      service: {
        ...service,
        async connect() {
          const connection = await service.connect()
          const send = connection.fetch ?? fetch
          return { ...connection, fetch: async (...call) => withoutPasskeys(await send(...call)) }
        },
      },
    })
    await app.signIn(app.browser, 'alice')

    const page = await app.browser.visit('/account')

    // The page that offers a choice would be left for this one.
    expect(page.path).toBe('/mfa')
    expect(page.text).toContain('Set up your device')
    expect(page.text).not.toContain('passkey')
  })

  inFullRun('passkeys are the first factor where the app accepts nothing else', async () => {
    const app = await startApp({ factors: ['passkey'] })
    await app.signIn(app.browser, 'alice')

    const firstPage = await app.browser.visit('/account')
    await app.enroll()
    await app.pass()

    expect(firstPage.path).toBe('/mfa/enroll/passkey')
    expect(await verified(app.browser)).toBe(true)
  })

  inFullRun(
    'a route that accepts only passkeys needs one, and the page leads users without one to add one',
    async () => {
      const app = await startApp()
      const guard = { purpose: 'step_up', factors: 'passkey' }
      const { account } = await signInByPush(app, 'alice')

      const guardPage = await app.browser.visit(`/mfa?${new URLSearchParams(guard).toString()}`)
      await app.browser.visit('/mfa/devices/passkey')
      await app.answer(account, 'approve', numberOn(await app.browser.visit('/mfa')))
      const confirmed = await app.browser.submit('/mfa/complete')

      expect(guardPage.text).toContain('A passkey is needed')
      expect(guardPage.text).toContain('href="/mfa/devices/passkey"')
      expect(guardPage.text).not.toContain('No device can approve this')
      expect(confirmed.headers['location']).toBe('/mfa/devices/passkey')
    },
  )

  inFullRun('passkeys are added only after a second step for that', async () => {
    const app = await startApp()
    await app.enroll()
    await app.pass()

    const started = await app.browser.submit('/mfa/devices/passkey/options', {}, { 'sec-fetch-mode': 'cors' })

    expect(started.status).toBe(403)
    expect(JSON.parse(started.text)).toMatchObject({ error: 'mfa_required' })
  })

  it.each(['/mfa/passkey/options', '/mfa/passkey', '/mfa/enroll/passkey', '/mfa/devices/passkey/remove'])(
    'passkeys are not used or changed by another site: %s',
    async (path) => {
      const app = await startApp()
      await app.enroll()

      const answer = await app.browser.submit(path, {}, { 'sec-fetch-site': 'cross-site' })

      expect(answer.status).toBe(403)
    },
  )

  it('passkeys of another app of the organization are listed and not changed', async () => {
    const app = await startApp()
    await app.enroll()
    await app.pass()
    const { baseUrl, apiKey, domainId, fetch: send } = await app.service.connect()
    const client = createClient({ baseUrl, apiKey, fetch: send })
    const { id } = await client.users.getByUsername('alice')
    const elsewhere = createAuthenticator({ origin: 'https://other.example' })
    const challenge = 'AAAAAAAAAAAAAAAAAAAAAA'
    const pass = await passFor(app)
    const rp = { id: 'other.example', origins: ['https://other.example'], name: 'Other' }
    const options = await client.passkeys.startRegistration(domainId, id, { rp, challenge, pass })
    const response = elsewhere.make(options)
    const foreign = await client.passkeys.register(domainId, id, { response, challenge, pass, name: 'Elsewhere' })

    const listed = await app.browser.visit('/mfa/devices')
    await app.browser.submit('/mfa/devices/passkey/name', { passkey: foreign.id, name: 'Mine' })
    await app.browser.submit('/mfa/devices/passkey/remove', { passkey: foreign.id })

    expect(listed.text).toContain('For other.example')
    expect((await client.passkeys.list(domainId, id, 'other.example')).map(({ name }) => name)).toEqual(['Elsewhere'])
  })

  inFullRun('passkeys are offered to another user of a browser in which one user has declined', async () => {
    const app = await startApp()
    const firstSignIn = await signInByPush(app, 'alice')
    const declined = await app.browser.submit('/mfa/passkeys/decline', { until: 'never' })
    const secondSignIn = await signInByPush(app, 'alice', firstSignIn.account)
    const other = await signInByPush(app, 'bob')

    expect(declined.headers['location']).toBe('/account')
    expect([firstSignIn, secondSignIn, other].map(({ next }) => next)).toEqual([
      '/mfa/passkeys',
      '/account',
      '/mfa/passkeys',
    ])
  })
})

type App = Awaited<ReturnType<typeof startApp>>

/** The id of a session that allows changes. */
async function passFor({ browser, pass }: App): Promise<string> {
  await browser.visit('/mfa/devices/passkey')
  await pass()
  const { mfa: mfaState } = JSON.parse((await browser.open('/account')).text) as {
    mfa: { verified: { sessionId: string } }
  }
  return mfaState.verified.sessionId
}

/** A sign-in by a device, in a browser whose device can keep passkeys. */
async function signInByPush(app: App, username: string, known?: Awaited<ReturnType<App['activate']>>) {
  await app.browser.open('/logout')
  await app.signIn(app.browser, username)
  const page = await app.browser.visit('/account')
  const account = known ?? (await app.activate(page, `${app.url.replace('localhost', '127.0.0.1')}/mfa`))
  await app.answer(account, 'approve', numberOn(await app.browser.visit('/mfa')))
  const { headers } = await app.browser.submit('/mfa/complete', { passkeys: 'yes' })
  return { account, next: headers['location'] }
}

/** A response of a service that has no package for passkeys. */
async function withoutPasskeys(response: Response): Promise<Response> {
  if (!response.headers.get('content-type')?.includes('json')) return response
  const body = JSON.parse(await response.text(), (key, value: unknown) =>
    key === 'passkeys' ? undefined : value,
  ) as unknown
  return new Response(JSON.stringify(body), response)
}

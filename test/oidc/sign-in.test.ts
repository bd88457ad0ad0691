import * as openid from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import type { CreationOptions, RequestOptions } from '../../src/contract/webauthn.ts'
import { createAuthenticator } from '../../src/testing/software-authenticator.ts'
import { inFullRun } from '../support/full-run.ts'
import { errorIn, openSignIn, startProvider, usePasskey } from './start-provider.ts'
import type { StartedProvider } from './start-provider.ts'
import type { Tabs } from './tabs.ts'

let provider: StartedProvider
let config: openid.Configuration

beforeAll(async () => {
  provider = await startProvider()
  config = await provider.configure(provider.signIn)
})
afterAll(() => provider.close())

const openPage = (browser: Tabs, parameters?: Record<string, string>) => openSignIn(config, browser, parameters)

const addPasskey = (userId: string) => provider.addPasskey(userId)

describe('a whole sign-in', () => {
  inFullRun('a whole sign-in signs in the owner of a passkey, whom nobody has named', async () => {
    const user = await provider.addUser('ada')
    const passkey = await addPasskey(user.id)
    const browser = provider.browser()
    const { base, checks, page } = await openPage(browser)

    const location = await usePasskey(browser, base, passkey)
    const { left } = await browser.visit(location ?? '')
    const tokens = await openid.authorizationCodeGrant(config, left!, checks)

    expect(page.text).toContain('Sign in to wiki')
    expect(tokens.claims()).toMatchObject({ sub: user.id, acr: 'phrh', amr: ['hwk', 'user', 'mfa'] })
  })

  inFullRun(
    'a whole sign-in lets in a person without a passkey by a code of an administrator, who then has to add one',
    async () => {
      const user = await provider.addUser('bob')
      const { code = '' } = await provider.api.bypassCodes.create(user.id, { usesAllowed: 1, expirationTime: 30 })
      const authenticator = createAuthenticator({ origin: provider.url })
      const browser = provider.browser()
      const mfa = provider.pages('sign-in')
      const { base, checks } = await openPage(browser)

      const entered = await browser.submit(`${base}/code`, { username: 'bob', code })
      const unfinished = await browser.visit(base)
      await browser.get(`${mfa}/enroll/passkey`)
      const creation = JSON.parse((await browser.submit(`${mfa}/enroll/passkey/options`)).text) as CreationOptions
      const made = JSON.stringify(authenticator.make(creation))
      await browser.submit(`${mfa}/enroll/passkey`, { name: 'Laptop', response: made })
      await browser.visit(mfa)
      const options = JSON.parse((await browser.submit(`${mfa}/passkey/options`)).text) as RequestOptions
      const answer = JSON.stringify(authenticator.use(options))
      const { left } = await browser.follow(await browser.submit(`${mfa}/passkey`, { response: answer }))
      const tokens = await openid.authorizationCodeGrant(config, left!, checks)

      expect(entered.headers['location']).toBe(`${mfa}/enroll/passkey`)
      expect(unfinished.left).toBeUndefined()
      expect(tokens.claims()).toMatchObject({ sub: user.id, acr: 'phrh' })
    },
  )

  inFullRun.each([
    ['a username that begins and ends with a blank', ' bo b ', ' bo b '],
    ['a username with a blank that somebody has typed after it', 'boris', 'boris '],
  ])('a whole sign-in finds the person by %s', async (_what, username, typed) => {
    const user = await provider.api.users.create({ username, name: 'Bob', email: 'bob@example.com' })
    await provider.api.domains.addUser(provider.domainId, user.id)
    const { code = '' } = await provider.api.bypassCodes.create(user.id, { usesAllowed: 1, expirationTime: 30 })
    const browser = provider.browser()
    const { base } = await openPage(browser)

    const entered = await browser.submit(`${base}/code`, { username: typed, code })

    expect(entered.headers['location']).toBe(`${provider.pages('sign-in')}/enroll/passkey`)
  })

  it('a whole sign-in says the same of an unknown username as of a wrong code', async () => {
    await provider.addUser('cyd')
    const browser = provider.browser()
    const { base } = await openPage(browser)

    const wrong = await browser.submit(`${base}/code`, { username: 'cyd', code: '123456789' })
    const unknown = await browser.submit(`${base}/code`, { username: 'cyx', code: '123456789' })

    expect([wrong.status, unknown.status]).toEqual([401, 401])
    expect(unknown.text.replaceAll('cyx', 'cyd')).toBe(wrong.text)
  })

  it('a whole sign-in locks no codes of a user whose name a stranger has typed with wrong ones', async () => {
    const { user } = await provider.enroll('vic')
    for (let count = 0; count < 12; count += 1) {
      const browser = provider.browser()
      const { base } = await openPage(browser)
      await browser.submit(`${base}/code`, { username: 'vic', code: '123456789' })
    }

    const challenge = 'q83vEjRWeJCrze8SNFZ4kA'
    const elsewhere = await provider.api.sessions.create(provider.domainId, {
      user: { id: user.id },
      otp: '000000',
      challenge,
    })

    expect(elsewhere).toMatchObject({ reason: 'wrong_code', triesLeft: 4 })
    expect(provider.events).toContainEqual(
      expect.objectContaining({ event: 'refused', clientId: provider.signIn.id, reason: 'wrong_code' }),
    )
  })

  it('a whole sign-in asks no device of a user whose name somebody has typed', async () => {
    const { user, account } = await provider.enroll('dan')
    await addPasskey(user.id)
    const browser = provider.browser()
    const { base } = await openPage(browser)
    await browser.submit(`${base}/code`, { username: 'dan', code: '123456789' })

    const { page } = await browser.visit(provider.pages('sign-in'))
    const sent = await browser.submit(`${provider.pages('sign-in')}/send`)

    expect(page.status).toBe(401)
    expect(sent.status).toBe(401)
    await expect(provider.answer(account, 'approve')).rejects.toThrow('nothing is pending')
  })

  it('a whole sign-in does not take a code of the user, but only one that an administrator hands over', async () => {
    const user = await provider.addUser('eve')
    await addPasskey(user.id)
    const { code = '' } = await provider.api.bypassCodes.create(user.id, { usesAllowed: 1, expirationTime: 1440 })
    const browser = provider.browser()
    const { base } = await openPage(browser)

    const entered = await browser.submit(`${base}/code`, { username: 'eve', code })

    expect(entered.status).toBe(401)
  })

  it.each(['/code', '/passkey', '/passkey/options'])(
    'a whole sign-in refuses forms of other sites at %s',
    async (path) => {
      const browser = provider.browser()
      const { base } = await openPage(browser)

      const answer = await browser.submit(base + path, { username: 'ada' }, { 'sec-fetch-site': 'cross-site' })

      expect(answer.status).toBe(400)
    },
  )

  it('a whole sign-in lets the person go back to the app without signing in', async () => {
    const browser = provider.browser()
    const { base } = await openPage(browser)

    const { left } = await browser.visit(`${base}/cancel`)

    expect(errorIn(left)).toBe('access_denied')
  })

  it('a whole sign-in signs the person out of this browser', async () => {
    const user = await provider.addUser('fay')
    const browser = provider.browser()
    const { base, checks } = await openPage(browser)
    const location = await usePasskey(browser, base, await addPasskey(user.id))
    const { left } = await browser.visit(location ?? '')
    const tokens = await openid.authorizationCodeGrant(config, left!, checks)
    const silent = await openPage(browser, { prompt: 'none' })

    const address = openid.buildEndSessionUrl(config, {
      id_token_hint: tokens.id_token!,
      post_logout_redirect_uri: 'https://app.example/',
    })
    const { page } = await browser.visit(address.href)
    const [, xsrf = ''] = /name="xsrf" value="([^"]*)"/.exec(page.text) ?? []
    const signedOut = await browser.follow(await browser.submit('/oidc/logout/confirm', { xsrf, logout: 'yes' }))
    const after = await openPage(browser)

    expect(silent.left?.searchParams.get('code')).toEqual(expect.any(String))
    expect(page.text).toContain('Sign out?')
    expect(signedOut.left?.href).toBe('https://app.example/')
    expect(after.left).toBeUndefined()
    expect(after.page.text).toContain('Sign in to wiki')
  })
})

import * as openid from 'openid-client'
import { describe, expect, it } from 'vitest'

import type { CreationOptions, RequestOptions, UsernamelessOptions } from '../../src/contract/webauthn.ts'
import { createAuthenticator } from '../../src/testing/software-authenticator.ts'
import { createTestPasskey } from '../../src/testing/test-passkey.ts'
import { authorizationRequest, follow, startProvider } from './start-provider.ts'

describe('a whole sign-in', () => {
  it('signs in the owner of a passkey, whom nobody has named', async () => {
    const provider = await startProvider()
    const user = await provider.addUser('alice')
    const passkey = await createTestPasskey(
      { client: provider.api, domainId: provider.domainId },
      user.id,
      provider.url,
    )
    const config = await provider.configure(provider.signIn)
    const browser = provider.browser()
    const { request, checks } = await authorizationRequest(config)

    const page = await follow(browser, provider.url, openid.buildAuthorizationUrl(config, request).href)
    const [, base = ''] = /data-base="([^"]*\/interaction\/[^"]*)"/.exec(page.answer!.text) ?? []
    const options = JSON.parse((await browser.submit(`${base}/passkey/options`)).text) as UsernamelessOptions
    const answer = await browser.submit(`${base}/passkey`, { response: JSON.stringify(passkey.use(options)) })
    const { left, steps } = await follow(
      browser,
      provider.url,
      (JSON.parse(answer.text) as { location: string }).location,
    )
    expect(left?.href, `${steps.join(' ')} ${provider.trouble.join()}`).toContain('https://app.example/callback')
    const tokens = await openid.authorizationCodeGrant(config, left!, checks)

    expect(tokens.claims()).toMatchObject({ sub: user.id, acr: 'phrh', amr: ['hwk', 'user', 'mfa'] })
  })

  it('lets in a person without a passkey by a code of an administrator, who then has to add one', async () => {
    const provider = await startProvider()
    const user = await provider.addUser('bob')
    const { code = '' } = await provider.api.bypassCodes.create(user.id, { usesAllowed: 1, expirationTime: 30 })
    const authenticator = createAuthenticator({ origin: provider.url })
    const config = await provider.configure(provider.signIn)
    const browser = provider.browser()
    const { request, checks } = await authorizationRequest(config)
    const mfa = provider.pages('sign-in')

    const page = await follow(browser, provider.url, openid.buildAuthorizationUrl(config, request).href)
    const [, base = ''] = /data-base="([^"]*\/interaction\/[^"]*)"/.exec(page.answer!.text) ?? []
    const entered = await browser.submit(`${base}/code`, { username: 'bob', code })
    expect(entered.headers['location'], entered.text).toBe(`${mfa}/enroll/passkey`)
    await browser.open(`${mfa}/enroll/passkey`)
    const creation = JSON.parse((await browser.submit(`${mfa}/enroll/passkey/options`)).text) as CreationOptions
    const made = JSON.stringify(authenticator.make(creation))
    await browser.submit(`${mfa}/enroll/passkey`, { name: 'Laptop', response: made })
    await browser.visit(mfa)
    const options = JSON.parse((await browser.submit(`${mfa}/passkey/options`)).text) as RequestOptions
    const passed = await browser.submit(`${mfa}/passkey`, { response: JSON.stringify(authenticator.use(options)) })
    const { left, steps } = await follow(browser, provider.url, String(passed.headers['location']))
    expect(left?.href, `${steps.join(' ')} ${provider.trouble.join()}`).toContain('https://app.example/callback')
    const tokens = await openid.authorizationCodeGrant(config, left!, checks)

    expect(tokens.claims()).toMatchObject({ sub: user.id, acr: 'phrh' })
  })
})

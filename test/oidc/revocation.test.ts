import * as openid from 'openid-client'
import { describe, expect, it, onTestFinished } from 'vitest'

import { StoreUnavailableError } from '../../src/service/engine/base/store-errors.ts'
import type { OidcState } from '../../src/service/oidc-state.ts'
import { ask, openSignIn, startProvider, usePasskey } from './start-provider.ts'
import type { StartedProvider } from './start-provider.ts'

describe('the provider', () => {
  it('the provider revokes an access token for the client that has it, and for no other', async () => {
    const provider = await startProvider()
    onTestFinished(() => provider.close())
    const [own, other] = [await provider.configure(provider.external), await provider.configure(provider.signIn)]
    const { account } = await provider.enroll('ada')
    const browser = provider.browser()
    const { page, checks } = await ask(own, browser, { login_hint: 'ada' })
    const { left } = await provider.approve(browser, account, page)
    const { access_token: token } = await openid.authorizationCodeGrant(own, left!, checks)

    const refused = openid.tokenRevocation(other, token)
    await expect(refused).rejects.toMatchObject({ error: 'invalid_request' })
    const kept = await openid.tokenIntrospection(own, token)
    await openid.tokenRevocation(own, token)
    const ended = await openid.tokenIntrospection(own, token)

    expect([kept.active, ended.active]).toEqual([true, false])
  })

  it('the provider ends everything of a sign-in when a revocation that failed half-way is repeated', async () => {
    let failing: string | undefined
    const adapter: OidcState['adapter'] = (model, strangerOf) => {
      const stored = provider.ownState.adapter(model, strangerOf)
      const fail = () => Promise.reject(new StoreUnavailableError('down'))
      return { ...stored, revokeByGrantId: (id) => (failing === model ? fail() : stored.revokeByGrantId(id)) }
    }
    const provider: StartedProvider = await startProvider({}, { adapter })
    onTestFinished(() => provider.close())
    const client = await provider.register('Dashboard', { kind: 'sign-in', refreshTokens: true })
    const config = await provider.configure(client)
    const user = await provider.addUser('bob')
    const passkey = await provider.addPasskey(user.id)
    const signIn = async () => {
      const browser = provider.browser()
      const { base, checks } = await openSignIn(config, browser, { prompt: 'login' })
      const { left } = await browser.visit((await usePasskey(browser, base, passkey)) ?? '')
      return openid.authorizationCodeGrant(config, left!, checks)
    }
    const statusOf = (call: Promise<void>) =>
      call.then(
        () => 200,
        ({ cause }: { cause: Response }) => cause.status,
      )
    const [first, second] = [await signIn(), await signIn()]

    failing = 'RefreshToken'
    expect(await statusOf(openid.tokenRevocation(config, first.access_token))).toBe(503)
    failing = 'AccessToken'
    expect(await statusOf(openid.tokenRevocation(config, second.refresh_token!))).toBe(503)
    failing = undefined
    await openid.tokenRevocation(config, first.access_token)
    await openid.tokenRevocation(config, second.refresh_token!)

    const refreshed = openid.refreshTokenGrant(config, first.refresh_token!)
    await expect(refreshed).rejects.toMatchObject({ error: 'invalid_grant' })
    expect((await openid.tokenIntrospection(config, second.access_token)).active).toBe(false)
  })
})

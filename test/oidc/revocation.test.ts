import * as openid from 'openid-client'
import { describe, expect, it, onTestFinished } from 'vitest'

import { ask, startProvider } from './start-provider.ts'

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
})

import * as openid from 'openid-client'
import { describe, expect, it } from 'vitest'

import { numberOn } from '../support/web-app.ts'
import { authorizationRequest, follow, nextOf, startProvider } from './start-provider.ts'
import type { StartedProvider } from './start-provider.ts'

/** A user with a device, whom the client names. */
async function enroll(provider: StartedProvider, username = 'alice') {
  const user = await provider.addUser(username)
  const token = await provider.api.tokens.issue(provider.domainId, user.id)
  const account = await provider.device.activate(`${provider.url}${provider.pages('external')}`, token.code ?? '', {
    name: 'Phone',
  })
  return { user, account }
}

describe('an external second factor', () => {
  it('asks the device of the user whom the client names, and says how and when', async () => {
    const provider = await startProvider()
    const { user, account } = await enroll(provider)
    const config = await provider.configure(provider.external)
    const browser = provider.browser()
    const { request, checks } = await authorizationRequest(config, { login_hint: 'alice' })
    const pushed = await openid.buildAuthorizationUrlWithPAR(config, request)

    const waiting = await follow(browser, provider.url, pushed.href)
    await provider.answer(account, 'approve', numberOn(waiting.answer!))
    const completed = await browser.submit(`${provider.pages('external')}/complete`)
    const { left, steps } = await follow(browser, provider.url, nextOf(completed)!)
    expect(left?.href, `${steps.join(' ')} ${provider.trouble.join()}`).toContain('https://app.example/callback')
    const tokens = await openid.authorizationCodeGrant(config, left!, checks)

    expect(tokens.claims()).toMatchObject({
      sub: user.id,
      acr: 'urn:second-factor:second-step',
      amr: ['swk'],
      preferred_username: 'alice',
      auth_time: expect.any(Number),
    })
  })
})

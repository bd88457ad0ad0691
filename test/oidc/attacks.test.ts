import * as openid from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { ask, openSignIn, startProvider } from './start-provider.ts'
import type { StartedProvider } from './start-provider.ts'

let provider: StartedProvider
let external: openid.Configuration
let signIn: openid.Configuration

beforeAll(async () => {
  provider = await startProvider()
  external = await provider.configure(provider.external)
  signIn = await provider.configure(provider.signIn)
})
afterAll(() => provider.close())

describe('the web session of one kind of client', () => {
  it('is unknown to another kind, whatever the cookie is called', async () => {
    const { account } = await provider.enroll('ada')
    const browser = provider.browser()
    const { page } = await ask(external, browser, { login_hint: 'ada' })
    await provider.approve(browser, account, page)
    const name = (kind: string) => `oidc-${kind}-${provider.domainId}`
    const taken = browser.jar().find((cookie) => cookie.name === name('external'))

    browser.plant({ ...taken!, name: name('sign-in') })
    const opened = await openSignIn(signIn, browser)

    expect(taken?.value).toEqual(expect.any(String))
    expect(opened.left).toBeUndefined()
    expect(opened.page.text).toContain('Sign in to wiki')
  })
})

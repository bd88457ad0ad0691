import { afterAll, describe, expect, it } from 'vitest'

import { describeInFullRun, inFullRun } from '../support/full-run.ts'
import { startExample } from './start-example.ts'

describe('passport.js', async () => {
  const example = await startExample('passport.js', {}, { until: afterAll })

  inFullRun('passport.js protects routes after Passport, and signs users out', async () => {
    const browser = example.browser()
    await example.signIn(browser, 'alice')

    expect((await browser.open('/')).headers['location']).toBe('/mfa')
    await example.passSecondStep(browser)
    expect((await browser.open('/')).text).toContain('Hello, Alice')

    await browser.submit('/logout')
    expect((await browser.visit('/')).path).toBe('/login')
  })

  it('passport.js lets users who have not passed the second step sign in as another user', async () => {
    const browser = example.browser()
    await example.signIn(browser, 'alice')
    await browser.visit('/')

    await example.signIn(browser, 'bob')

    expect((await browser.visit('/')).text).toMatch(/Signing in as .*Bob/)
    expect(example.stderr()).not.toContain('MfaWarning')
  })
})

describeInFullRun('oauth-login.js', () => {
  it('oauth-login.js requires the second step after the login at the other site', async () => {
    const example = await startExample('oauth-login.js')
    const browser = example.browser()

    const away = await browser.open('/login')
    const callback = await fetch(away.headers['location'] ?? '', { redirect: 'manual' })
    const { pathname, search } = new URL(callback.headers.get('location') ?? '')
    expect((await browser.visit(pathname + search)).path).toBe('/mfa?use=phone')

    await example.passSecondStep(browser)
    expect((await browser.open('/')).text).toContain('Hello, Alice')
  })
})

describeInFullRun('magic-link.js', () => {
  it('magic-link.js requires the second step after the link, which works once', async () => {
    const example = await startExample('magic-link.js')
    const browser = example.browser()
    await browser.submit('/login', { username: 'alice' })
    const [, link = ''] = /Mail to alice@example.com: http:\/\/[^/]+(\S+)/.exec(example.stdout()) ?? []

    expect((await browser.visit(link)).path).toBe('/mfa?use=phone')
    await example.passSecondStep(browser)

    expect((await browser.open('/')).text).toContain('Hello, Alice')
    expect((await example.browser().open(link)).headers['location']).toBe('/login')
  })
})

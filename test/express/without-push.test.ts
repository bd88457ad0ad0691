import { describe, expect, it } from 'vitest'

import { inFullRun } from '../support/full-run.ts'
import { codesOf, isIn, startOwnApp } from './own-factors.ts'

const codesOnly = { factors: ['otp', 'bypass'] as ('otp' | 'bypass')[] }

describe("mfa({ factors }) without 'push'", () => {
  inFullRun('mfa() without push provisions newcomers and leads them to set up an authenticator app', async () => {
    const app = await startOwnApp(codesOnly)
    const { browser, page } = await app.newcomer()
    expect(page.path).toBe('/mfa/enroll/app')
    const code = codesOf(app, page)

    await browser.submit('/mfa/enroll/app', { code: code() })
    await browser.submit('/mfa/code', { code: code(1) })

    expect(await isIn(browser)).toBe(true)
  })

  inFullRun('mfa() without push issues no activation code, because no device could approve', async () => {
    const app = await startOwnApp(codesOnly)
    await app.newcomer()

    const { id } = await app.user()

    await expect(app.client.tokens.get(app.domainId, id)).rejects.toMatchObject({ code: 'api.error.notfound.token' })
  })

  inFullRun('mfa() without push asks users who have an authenticator app for its code', async () => {
    const app = await startOwnApp(codesOnly)
    await app.withApp()
    const browser = app.browser()
    await app.signIn(browser, 'alice')

    expect((await browser.visit('/account')).text).toContain('Enter a code')
  })

  inFullRun.each([
    ['selfEnrollment is false', { ...codesOnly, selfEnrollment: false }],
    ['mayEnroll says no', { ...codesOnly, mayEnroll: () => false }],
    ['codes of an app are no factor here', { factors: ['bypass'] as 'bypass'[] }],
  ])('mfa() without push offers no authenticator app when %s', async (_when, options) => {
    const app = await startOwnApp(options)
    const { page } = await app.newcomer()

    expect(page.path).toBe('/mfa')
    expect(page.text).not.toContain('otpauth:')
  })

  it('mfa() without push offers no authenticator app to users who had a factor before', async () => {
    const app = await startOwnApp(codesOnly)
    const user = await app.client.users.create({ username: 'alice', name: 'Alice', email: 'alice@example.com' })
    await app.client.domains.addUser(app.domainId, user.id)
    await app.client.bypassCodes.create(user.id, { usesAllowed: 1, expirationTime: 60 })
    const { page } = await app.newcomer()

    expect(page.path).toBe('/mfa')
  })

  inFullRun('mfa() without push creates no user whose name is similar to a known one', async () => {
    const app = await startOwnApp(codesOnly)
    await app.newcomer('alice')

    const { page } = await app.newcomer('ALICE')

    expect(page.path).toBe('/mfa')
    expect((await app.client.users.list()).map(({ username }) => username)).toEqual(['alice'])
  })
})

import { randomBytes } from 'node:crypto'

import * as openid from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { engines, useEngine } from '../support/engines.ts'
import { inFullRun } from '../support/full-run.ts'
import { openSignIn, startProvider, usePasskey } from './start-provider.ts'
import type { StartedProvider } from './start-provider.ts'

const keys = `k1:${randomBytes(32).toString('base64')}`

describe.each(engines)('the OpenID provider on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let provider: StartedProvider
  let config: openid.Configuration

  beforeAll(async () => {
    provider = await startProvider({}, {}, {}, { database: await newDatabase(), keys })
    const client = await provider.register('Dashboard', { kind: 'sign-in', refreshTokens: true })
    config = await provider.configure(client)
  })
  afterAll(() => provider.close())

  const errorOf = (call: Promise<unknown>) =>
    call.then(
      () => 'none',
      (error: unknown) => (error as { error?: string }).error ?? String(error),
    )

  inFullRun('the OpenID provider signs in, refreshes and revokes on each database', async () => {
    const user = await provider.addUser('ada')
    const passkey = await provider.addPasskey(user.id)
    const browser = provider.browser()
    const { base, checks } = await openSignIn(config, browser)
    const { left } = await browser.visit((await usePasskey(browser, base, passkey)) ?? '')

    const first = await openid.authorizationCodeGrant(config, left!, checks)
    const second = await openid.refreshTokenGrant(config, first.refresh_token ?? '')
    const usedTwice = await errorOf(openid.refreshTokenGrant(config, first.refresh_token ?? ''))
    const afterwards = await errorOf(openid.refreshTokenGrant(config, second.refresh_token ?? ''))

    expect(first.claims()).toMatchObject({ sub: user.id, acr: 'phrh' })
    expect(second.access_token).not.toBe(first.access_token)
    // A refresh token that is used twice may have been stolen: everything of the sign-in ends.
    expect([usedTwice, afterwards]).toEqual(['invalid_grant', 'invalid_grant'])
    expect(provider.trouble).toEqual([])
  })

  it('the OpenID provider knows no client by an id that a database cannot hold', async () => {
    const authorize = await fetch(`${provider.url}/oidc/authorize?client_id=%00&response_type=code&scope=openid`)
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      code: 'x',
      client_id: '\0',
      client_secret: 'x',
    })
    const token = await fetch(`${provider.url}/oidc/token`, { method: 'POST', body })

    expect([authorize.status, token.status]).toEqual([400, 401])
    expect(await token.json()).toMatchObject({ error: 'invalid_client' })
    expect(provider.trouble).toEqual([])
  })

  inFullRun('the OpenID provider has a client revoke what it was issued on each database', async () => {
    const user = await provider.addUser('bob')
    const passkey = await provider.addPasskey(user.id)
    const browser = provider.browser()
    const { base, checks } = await openSignIn(config, browser)
    const { left } = await browser.visit((await usePasskey(browser, base, passkey)) ?? '')
    const tokens = await openid.authorizationCodeGrant(config, left!, checks)
    const before = await openid.tokenIntrospection(config, tokens.access_token)

    await openid.tokenRevocation(config, tokens.refresh_token ?? '')

    expect(before.active).toBe(true)
    expect((await openid.tokenIntrospection(config, tokens.access_token)).active).toBe(false)
    expect(await errorOf(openid.refreshTokenGrant(config, tokens.refresh_token ?? ''))).toBe('invalid_grant')
  })
})

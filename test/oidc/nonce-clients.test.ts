import * as openid from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { inFullRun } from '../support/full-run.ts'
import type { RegisteredClient, StartedProvider } from './start-provider.ts'
import { authorizationRequest, errorIn, signInAt, startProvider } from './start-provider.ts'

let provider: StartedProvider
let client: RegisteredClient
let config: openid.Configuration

beforeAll(async () => {
  provider = await startProvider()
  client = await provider.register('old wiki', { kind: 'sign-in', pkce: 'nonce' })
  config = await provider.configure(client)
})
afterAll(() => provider.close())

type Request = Awaited<ReturnType<typeof authorizationRequest>>['request']
type Parameter = keyof Request

/** A request without some of what openid-client sends. */
async function requestWithout(...left: readonly Parameter[]) {
  const { request, checks } = await authorizationRequest()
  const kept = Object.entries(request).filter(([name]) => !left.includes(name as Parameter))
  return { request: Object.fromEntries(kept), checks }
}

const pkce = ['code_challenge', 'code_challenge_method'] as const

/** A person signs in in a browser of their own. @returns the address that the client gets. */
async function answerTo(request: Record<string, string>, username: string): Promise<URL> {
  const user = await provider.addUser(username)
  const passkey = await provider.addPasskey(user.id)
  return signInAt(provider.browser(), openid.buildAuthorizationUrl(config, request).href, passkey)
}

const problemOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'accepted',
    (error: { code?: string; error?: string }) => error.error ?? error.code,
  )

describe('a client that is registered for a nonce', () => {
  inFullRun('a client that is registered for a nonce signs people in by a nonce without PKCE', async () => {
    const { request, checks } = await requestWithout(...pkce)
    const { expectedNonce, expectedState } = checks

    const left = await answerTo(request, 'ada')
    const tokens = await openid.authorizationCodeGrant(config, left, { expectedNonce, expectedState })

    expect(tokens.claims()).toMatchObject({ nonce: expectedNonce, acr: 'phrh' })
  })

  it.each(['missing', 'empty'])(
    'a client that is registered for a nonce is refused with neither PKCE nor a nonce (%s)',
    async (nonce) => {
      const { request } = await requestWithout(...pkce, 'nonce')
      const sent = nonce === 'empty' ? { ...request, nonce: '' } : request

      const { left } = await provider.browser().visit(openid.buildAuthorizationUrl(config, sent).href)
      const pushed = await problemOf(openid.buildAuthorizationUrlWithPAR(config, sent))

      expect([errorIn(left), pushed]).toEqual(['invalid_request', 'invalid_request'])
      expect(left?.searchParams.get('error_description')).toContain('nonce is missing')
    },
  )

  inFullRun(
    'a client that is registered for a nonce finds out that a code was stolen from another browser',
    async () => {
      const { request, checks } = await requestWithout(...pkce)
      const { request: other } = await requestWithout(...pkce)
      const { expectedNonce, expectedState } = checks
      const left = await answerTo(request, 'thief')
      const stolen = await answerTo(other, 'victim')
      left.searchParams.set('code', stolen.searchParams.get('code') ?? '')

      const problem = await problemOf(openid.authorizationCodeGrant(config, left, { expectedNonce, expectedState }))

      expect(problem).toBe('OAUTH_JWT_CLAIM_COMPARISON_FAILED')
    },
  )

  inFullRun('a client that is registered for a nonce may use PKCE, and then has to complete it', async () => {
    const { request, checks } = await requestWithout('nonce')
    const { pkceCodeVerifier, expectedState } = checks
    const left = await answerTo(request, 'bea')
    const second = await requestWithout('nonce')
    const forgotten = await answerTo(second.request, 'cyd')

    const tokens = await openid.authorizationCodeGrant(config, left, { pkceCodeVerifier, expectedState })
    const without = await problemOf(
      openid.authorizationCodeGrant(config, forgotten, { expectedState: second.checks.expectedState }),
    )

    expect(tokens.claims()?.sub).toEqual(expect.any(String))
    expect(without).toBe('invalid_grant')
  })

  it('a client that is registered for a nonce finds out that PKCE was removed from its request', async () => {
    const { request, checks } = await requestWithout(...pkce)

    const left = await answerTo(request, 'dan')

    expect(await problemOf(openid.authorizationCodeGrant(config, left, checks))).toBe('invalid_grant')
  })
})

describe('a client that is registered for PKCE', () => {
  it('a client that is registered for PKCE is refused with a nonce alone', async () => {
    const { request } = await requestWithout(...pkce)
    const other = await provider.configure(provider.signIn)

    const { left } = await provider.browser().visit(openid.buildAuthorizationUrl(other, request).href)

    expect(errorIn(left)).toBe('invalid_request')
  })
})

import { generateKeyPairSync, randomUUID } from 'node:crypto'

import * as jose from 'jose'
import * as openid from 'openid-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import type { OidcKeys } from '../../src/service/oidc-state.ts'
import { inFullRun } from '../support/full-run.ts'
import { ask, authorizationRequest, callback, openSignIn, startProvider, usePasskey } from './start-provider.ts'
import type { RegisteredClient, StartedProvider } from './start-provider.ts'

let provider: StartedProvider
let config: openid.Configuration
let signing: { client: RegisteredClient; key: jose.CryptoKey; publicJwk: jose.JWK }

/** Makes the provider sign with a new key. */
let rotate: () => Promise<void>

beforeAll(async () => {
  const listeners: ((keys: OidcKeys) => void)[] = []
  provider = await startProvider({}, { onKeysChanged: (listener) => (listeners.push(listener), () => {}) })
  rotate = async () => {
    const { jwks, cookieKeys } = await provider.state.keys()
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const next = { ...privateKey.export({ format: 'jwk' }), kid: 'next', use: 'sig', alg: 'RS256', kty: 'RSA' }
    for (const listener of listeners) listener({ jwks: { keys: [next as never, ...jwks.keys] }, cookieKeys })
  }
  config = await provider.configure(provider.external)
  const { privateKey, publicKey } = await jose.generateKeyPair('ES256', { extractable: true })
  const publicJwk = { ...(await jose.exportJWK(publicKey)), kid: 'k', alg: 'ES256', use: 'sig' }
  const client = await provider.register('signing-idp', {
    authentication: 'private_key_jwt',
    jwks: { keys: [publicJwk] },
  })
  signing = { client, key: privateKey, publicJwk }
})
afterAll(() => provider.close())

/** A code for a user who has passed the second step. */
async function codeFor(username: string, client = provider.external, parameters: Record<string, string> = {}) {
  const { user, account } = await provider.enroll(username)
  const browser = provider.browser()
  const of = await provider.configure(client)
  const { page, checks } = await ask(of, browser, { login_hint: username, ...parameters })
  const { left } = await provider.approve(browser, account, page)
  return { user, account, browser, left: left as URL, checks, config: of }
}

/** A code of a whole sign-in, for a client that gets refresh tokens. */
async function refreshableCode(username: string) {
  const client = await provider.register(`app of ${username}`, { kind: 'sign-in', refreshTokens: true })
  const own = await provider.configure(client)
  const user = await provider.addUser(username)
  const browser = provider.browser()
  const { base, checks } = await openSignIn(own, browser)
  const location = await usePasskey(browser, base, await provider.addPasskey(user.id))
  const { left } = await browser.visit(location ?? '')
  return { user, left: left as URL, checks, config: own }
}

async function codeOfError(call: Promise<unknown>): Promise<unknown> {
  try {
    await call
  } catch (error) {
    return (error as { error?: string; cause?: { error?: string } }).error ?? (error as { code?: string }).code
  }
  return 'no error'
}

describe('codes and tokens', () => {
  inFullRun('the provider names the issuer in each response, so that no client mixes providers up', async () => {
    const { left } = await codeFor('ada')
    const { request } = await authorizationRequest()
    const refused = await provider.browser().visit(openid.buildAuthorizationUrl(config, request).href)

    expect([left.searchParams.get('iss'), refused.left?.searchParams.get('iss')]).toEqual([provider.url, provider.url])
  })

  it('the provider accepts a code once, and ends what it has issued when it comes again', async () => {
    const { left, checks } = await codeFor('bea')
    const tokens = await openid.authorizationCodeGrant(config, left, checks)
    const before = await openid.tokenIntrospection(config, tokens.access_token)

    const again = await codeOfError(openid.authorizationCodeGrant(config, left, checks))
    const after = await openid.tokenIntrospection(config, tokens.access_token)

    expect([before.active, again, after.active]).toEqual([true, 'invalid_grant', false])
  })

  it('the provider accepts a code only with the verifier of the client that has begun', async () => {
    const { left, checks } = await codeFor('cyd')
    const { request } = await authorizationRequest({ login_hint: 'cyd' })
    const { code_challenge: _challenge, code_challenge_method: _method, ...without } = request

    const injected = await codeOfError(
      openid.authorizationCodeGrant(config, left, { ...checks, pkceCodeVerifier: openid.randomPKCECodeVerifier() }),
    )
    const pushed = await codeOfError(openid.buildAuthorizationUrlWithPAR(config, without))

    expect([injected, pushed]).toEqual(['invalid_grant', 'invalid_request'])
  })

  it('the provider accepts a code, and a refresh token, only from the client that it was made for', async () => {
    const { left, checks, config: own } = await refreshableCode('dan')
    const { config: other } = await refreshableCode('dea')

    const stolen = await codeOfError(openid.authorizationCodeGrant(other, left, checks))
    const tokens = await openid.authorizationCodeGrant(own, left, checks)
    const refreshed = await codeOfError(openid.refreshTokenGrant(other, tokens.refresh_token ?? ''))
    const foreign = await openid.tokenIntrospection(other, tokens.access_token)

    expect([stolen, refreshed, foreign.active]).toEqual(['invalid_grant', 'invalid_grant', false])
  })

  it('the provider refreshes tokens of members only, and only for clients that are registered for it', async () => {
    const { user, left, checks, config: own } = await refreshableCode('eve')
    const tokens = await openid.authorizationCodeGrant(own, left, checks)
    const next = await openid.refreshTokenGrant(own, tokens.refresh_token ?? '')
    await provider.api.domains.removeUser(provider.domainId, user.id)

    const afterwards = await codeOfError(openid.refreshTokenGrant(own, next.refresh_token ?? ''))
    const { left: plainLeft, checks: plainChecks } = await codeFor('fay')
    const plain = await openid.authorizationCodeGrant(config, plainLeft, plainChecks)

    expect(next.claims()).toMatchObject({ sub: user.id, acr: 'phrh' })
    expect(afterwards).toBe('invalid_grant')
    expect(plain.refresh_token).toBeUndefined()
  })

  it('the provider issues access tokens that a registered resource reads itself, with how and when the person signed in', async () => {
    const client = await provider.register('with-api', { resources: ['https://api.example'] })
    const { user, left, checks, config: own } = await codeFor('gil', client, { resource: 'https://api.example' })

    const tokens = await openid.authorizationCodeGrant(own, left, checks, { resource: 'https://api.example' })
    const keys = jose.createRemoteJWKSet(new URL(own.serverMetadata().jwks_uri!))
    const { payload, protectedHeader } = await jose.jwtVerify(tokens.access_token, keys, {
      issuer: provider.url,
      audience: 'https://api.example',
      typ: 'at+jwt',
    })
    const { request } = await authorizationRequest({ login_hint: 'gil', resource: 'https://other.example' })
    const other = await codeOfError(openid.buildAuthorizationUrlWithPAR(own, request))

    expect(protectedHeader.alg).toBe('RS256')
    expect(payload).toMatchObject({
      sub: user.id,
      client_id: client.id,
      acr: 'urn:second-factor:second-step',
      auth_time: expect.any(Number),
    })
    expect(other).toBe('invalid_target')
  })

  inFullRun('the provider answers userinfo with what the client is registered for', async () => {
    const { user, left, checks } = await codeFor('hal')
    const tokens = await openid.authorizationCodeGrant(config, left, checks)

    const userinfo = await openid.fetchUserInfo(config, tokens.access_token, user.id)

    expect(userinfo).toMatchObject({ sub: user.id, preferred_username: 'hal', email: 'hal@example.com' })
  })

  inFullRun('the provider signs with a new key without a restart, and publishes the one before', async () => {
    const first = await codeFor('ida')
    const before = await openid.authorizationCodeGrant(config, first.left, first.checks)
    await rotate()
    const second = await codeFor('jon')
    const after = await openid.authorizationCodeGrant(config, second.left, second.checks)

    const { keys } = (await (await fetch(`${provider.url}/oidc/jwks`)).json()) as jose.JSONWebKeySet
    const kidOf = (token: string | undefined) => jose.decodeProtectedHeader(token ?? '').kid

    expect(kidOf(after.id_token)).not.toBe(kidOf(before.id_token))
    expect(keys.map(({ kid }) => kid)).toEqual([kidOf(after.id_token), kidOf(before.id_token)])
    expect(keys.some((key) => 'd' in key)).toBe(false)
  })
})

describe('signed request objects', () => {
  const now = () => Math.floor(Date.now() / 1000)

  async function claims(more: jose.JWTPayload = {}): Promise<jose.JWTPayload> {
    const { request } = await authorizationRequest({ login_hint: 'sia', ...(more as Record<string, string>) })
    const { client } = signing
    return {
      ...request,
      response_type: 'code',
      client_id: client.id,
      iss: client.id,
      aud: provider.url,
      jti: randomUUID(),
      iat: now(),
      exp: now() + 60,
      ...more,
    }
  }

  const sign = async (more?: jose.JWTPayload) =>
    new jose.SignJWT(await claims(more)).setProtectedHeader({ alg: 'ES256', kid: 'k' }).sign(signing.key)

  async function open(request: string) {
    const address = `${provider.url}/oidc/authorize?${new URLSearchParams({ client_id: signing.client.id, request })}`
    return provider.browser().visit(address)
  }

  const described = ({ left, page }: Awaited<ReturnType<typeof open>>) =>
    left ? left.searchParams.get('error') : (/this code: (\w+)/.exec(page.text)?.[1] ?? page.status)

  inFullRun('signed request objects name the user as a pushed request does', async () => {
    await provider.enroll('sia')

    const { left, page } = await open(await sign())

    expect(left).toBeUndefined()
    expect(page.text).toContain('Approve the sign-in')
  })

  it('signed request objects count once', async () => {
    await provider.enroll('sol')
    const request = await sign({ login_hint: 'sol' })

    const first = await open(request)
    const second = await open(request)

    expect([described(first), described(second)]).toEqual([200, 'invalid_request_object'])
  })

  /** Unix time, seconds. */
  const soon = () => Math.floor(Date.now() / 1000) + 60

  it.each<[string, jose.JWTPayload]>([
    ['without an id', { jti: undefined as never }],
    ['with a short id', { jti: '1' }],
    ['without an end', { exp: undefined as never }],
    ['that has expired', { iat: 1_600_000_000, exp: 1_600_000_060 }],
    ['that is valid for long', { exp: 4_000_000_000 }],
    ['of a later time', { iat: 4_000_000_000, exp: 4_000_000_060 }],
    ['that was valid for long already', { iat: soon() - 600, exp: soon() }],
    ['for another provider', { aud: 'https://other.example' }],
    ['of another client', { iss: 'other' }],
  ])('signed request objects are refused %s', async (_, lie) => {
    const answer = await open(await sign(lie))

    expect(described(answer)).toBe('invalid_request_object')
  })

  it('signed request objects are refused without a signature, and with one that anybody can make', async () => {
    const unsigned = new jose.UnsecuredJWT(await claims()).encode()
    const secret = new TextEncoder().encode(JSON.stringify(signing.publicJwk))
    const confused = await new jose.SignJWT(await claims()).setProtectedHeader({ alg: 'HS256' }).sign(secret)
    const { privateKey } = await jose.generateKeyPair('ES256')
    const foreign = await new jose.SignJWT(await claims())
      .setProtectedHeader({ alg: 'ES256', kid: 'k' })
      .sign(privateKey)

    const answers = [await open(unsigned), await open(confused), await open(foreign)]

    expect(answers.map(described)).toEqual(Array(3).fill('invalid_request_object'))
  })

  it('signed request objects are never fetched from an address', async () => {
    const address = new URLSearchParams({ client_id: signing.client.id, request_uri: 'https://127.0.0.1/request' })

    const { left, page } = await provider.browser().visit(`${provider.url}/oidc/authorize?${address}`)

    expect(left).toBeUndefined()
    expect([page.status, page.text]).toEqual([400, expect.stringContaining('request_uri_not_supported')])
  })
})

describe('clients', () => {
  inFullRun('OpenID clients authenticate by a key of theirs', async () => {
    const own = await provider.configure(signing.client, openid.PrivateKeyJwt({ key: signing.key, kid: 'k' }))
    const { account } = await provider.enroll('tia')
    const browser = provider.browser()

    const { page, checks } = await ask(own, browser, { login_hint: 'tia' })
    const { left } = await provider.approve(browser, account, page)
    const tokens = await openid.authorizationCodeGrant(own, left!, checks)

    expect(tokens.claims()?.aud).toBe(signing.client.id)
  })

  inFullRun(
    'OpenID clients are refused with a wrong secret, without one, and with an assertion that proves nothing',
    async () => {
      const { request } = await authorizationRequest({ login_hint: 'ada' })
      const wrong = await provider.configure({ ...provider.external, clientSecret: 'wrong' })
      const push = (fields: Record<string, string>) =>
        fetch(`${provider.url}/oidc/par`, { method: 'POST', body: new URLSearchParams({ ...request, ...fields }) })
      const claims = { iss: signing.client.id, sub: signing.client.id, aud: provider.url, jti: randomUUID(), exp: 4e9 }
      const secret = new TextEncoder().encode(JSON.stringify(signing.publicJwk))
      const assertions = [
        new jose.UnsecuredJWT(claims).encode(),
        await new jose.SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(secret),
      ]

      const withAssertion = (assertion: string) =>
        push({
          client_id: signing.client.id,
          client_assertion: assertion,
          client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        })
      const statuses = [
        (await push({ client_id: provider.external.id })).status,
        ...(await Promise.all(assertions.map(async (assertion) => (await withAssertion(assertion)).status))),
      ]

      expect(await codeOfError(openid.buildAuthorizationUrlWithPAR(wrong, request))).toBe('invalid_client')
      expect(statuses).toEqual([401, 401, 401])
    },
  )

  it('OpenID clients use an assertion once', async () => {
    const claims = { iss: signing.client.id, sub: signing.client.id, aud: provider.url, jti: randomUUID() }
    const assertion = await new jose.SignJWT(claims)
      .setProtectedHeader({ alg: 'ES256', kid: 'k' })
      .setIssuedAt()
      .setExpirationTime('1m')
      .sign(signing.key)
    const { request } = await authorizationRequest({ login_hint: 'ada' })
    const push = async () => {
      const body = new URLSearchParams({
        ...request,
        response_type: 'code',
        client_id: signing.client.id,
        client_assertion: assertion,
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      })
      return (await fetch(`${provider.url}/oidc/par`, { method: 'POST', body })).status
    }

    expect([await push(), await push()]).toEqual([201, 401])
  })

  it('OpenID clients have their keys read from public https addresses only', async () => {
    const hidden = await provider.register('hidden-keys', {
      authentication: 'private_key_jwt',
      jwksUri: 'https://127.0.0.1:1/jwks',
    })
    const own = await provider.configure(hidden, openid.PrivateKeyJwt({ key: signing.key, kid: 'k' }))
    const { request } = await authorizationRequest({ login_hint: 'ada' })

    expect(await codeOfError(openid.buildAuthorizationUrlWithPAR(own, request))).toMatch(/invalid_client/)
  })
})

describe('addresses', () => {
  it.each([
    ['another address', 'https://evil.example/callback'],
    ['a longer path', `${callback}/more`],
    ['a query', `${callback}?next=https://evil.example`],
    ['user information', 'https://app.example@evil.example/callback'],
  ])('the provider sends nobody to %s than the registered one', async (_, redirect) => {
    const { request } = await authorizationRequest({ redirect_uri: redirect })

    const { left, page } = await provider.browser().visit(openid.buildAuthorizationUrl(config, request).href)

    expect(left).toBeUndefined()
    expect(page.status).toBe(400)
    expect(page.text).not.toContain('evil.example')
  })

  it('the provider sends nobody to an address that is not registered after a logout', async () => {
    const address = openid.buildEndSessionUrl(config, { post_logout_redirect_uri: 'https://evil.example/' })

    const { left, page } = await provider.browser().visit(address.href)

    expect(left).toBeUndefined()
    expect(page.status).toBe(400)
  })

  it('addresses of the provider follow the issuer, whatever the headers of a request say', async () => {
    const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' }
    const { page } = await provider.browser().visit(`${provider.url}/oidc/authorize?client_id=nobody`)
    const metadata = await provider.browser().get('/.well-known/openid-configuration', headers)

    expect(metadata.text).not.toContain('evil')
    expect((metadata.body as { token_endpoint: string }).token_endpoint).toBe(`${provider.url}/oidc/token`)
    expect(page.status).toBe(400)
  })

  it('addresses of the provider show pages that no other site can frame, post to or run scripts in', async () => {
    const { page } = await provider.browser().visit(`${provider.url}/oidc/authorize?client_id=nobody`)

    expect(page.headers['x-frame-options']).toBe('DENY')
    expect(page.headers['content-security-policy']).toContain("frame-ancestors 'none'")
    expect(page.headers['content-security-policy']).toContain("script-src 'self'")
    expect(page.headers['content-security-policy']).not.toContain('unsafe-inline')
    expect(page.text).toContain('invalid_client')
  })

  it('addresses of the provider post a response by a page that runs one known script and posts to the client alone', async () => {
    const { request } = await authorizationRequest({ login_hint: 'nobody', response_mode: 'form_post' })
    const { page } = await provider.browser().visit((await openid.buildAuthorizationUrlWithPAR(config, request)).href)

    expect(page.text).toContain('Taking you back to the app')
    expect(page.text).toContain('<input type="hidden" name="error" value="access_denied">')
    expect(page.headers['content-security-policy']).toMatch(/script-src 'self' 'sha256-[\w+/=]+'; /)
    expect(page.headers['content-security-policy']).toContain('form-action https://app.example https:')
  })

  it('addresses of the provider publish what the provider does, and nothing else', async () => {
    const metadata = (await (await fetch(`${provider.url}/.well-known/openid-configuration`)).json()) as object

    expect(metadata).toMatchObject({
      issuer: provider.url,
      response_types_supported: ['code', 'id_token'],
      backchannel_token_delivery_modes_supported: ['poll', 'ping'],
      code_challenge_methods_supported: ['S256'],
      id_token_signing_alg_values_supported: ['RS256'],
      request_object_signing_alg_values_supported: ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'],
      token_endpoint_auth_signing_alg_values_supported: ['RS256', 'PS256', 'ES256', 'EdDSA', 'Ed25519'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'],
      acr_values_supported: ['phrh', 'phr', 'urn:second-factor:second-step'],
      subject_types_supported: ['public'],
      authorization_response_iss_parameter_supported: true,
    })
    expect(
      Object.keys(metadata).filter((name) => /registration|device|dpop|backchannel_logout|encrypt/.test(name)),
    ).toEqual([])
  })
})

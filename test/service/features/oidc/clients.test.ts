import { generateKeyPairSync } from 'node:crypto'

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { NewOidcClient } from '../../../../src/admin-contract/oidc-client-settings.ts'
import { secretLimit } from '../../../../src/service/features/oidc/models.ts'
import { oidcStateOf } from '../../../../src/service/oidc-state.ts'
import { mainEngines, useEngine } from '../../../support/engines.ts'
import { administrator, startConsole } from '../administrators/console-holder.ts'
import type { Console } from '../administrators/console-holder.ts'
import { inFullRun } from '../../../support/full-run.ts'

const callback = 'https://wiki.example.com/callback'
const jwkOf = (bits = 2048) => generateKeyPairSync('rsa', { modulusLength: bits })

describe('the settings of a client', () => {
  const problemOf = (settings: object) => {
    const parsed = NewOidcClient.safeParse({ name: 'Wiki', kind: 'sign-in', redirectUris: [callback], ...settings })
    return parsed.error?.issues.map(({ message }) => message).join('; ')
  }
  const native = { native: true, authentication: 'none' }

  it.each([
    'http://wiki.example.com/callback',
    'https://wiki.example.com/callback#',
    'https://wiki.example.com/callback#part',
    'https://*.example.com/callback',
    'https://wiki.example.com/*',
    'https://wiki.example.com@attacker.example/',
    'https://user:password@wiki.example.com/',
    'https://wiki.example.com\\@attacker.example/',
    'https:wiki.example.com/callback',
    'https:///wiki.example.com',
    'HTTPS://wiki.example.com/',
    ' https://wiki.example.com/',
    'https://wiki.example.com/\n',
    'https://wiki.ex%61mple.com/',
    'https://wiki.example.com/"',
    'javascript:alert(1)',
    'com.example.app:/callback',
    'http://127.0.0.1/callback',
    'http://localhost:3000/callback',
    'wiki.example.com',
    '',
    `https://wiki.example.com/${'x'.repeat(2000)}`,
  ])('an OpenID client can’t have the address %j', (address) => {
    expect(problemOf({ redirectUris: [address] })).toMatch(/^redirectUris\.0: expected/)
    expect(problemOf({ postLogoutRedirectUris: [address] })).toMatch(/^postLogoutRedirectUris\.0: expected/)
  })

  it.each([
    callback,
    'https://wiki.example.com',
    'https://wiki.example.com:8443/cb?tenant=1',
    'https://[2001:db8::1]/',
  ])('an OpenID client can have the address %s', (address) => {
    expect(problemOf({ redirectUris: [address] })).toBeUndefined()
  })

  it.each(['http://127.0.0.1/callback', 'http://[::1]:49152/callback', 'http://localhost/callback'])(
    'an OpenID client on the user’s machine can have the loopback address %s',
    (address) => {
      expect(problemOf({ ...native, redirectUris: [address] })).toBeUndefined()
    },
  )

  it.each(['http://127.1/callback', 'http://192.0.2.1/callback', 'http://localhost.example.com/'])(
    'an OpenID client on the user’s machine can’t have the address %s',
    (address) => {
      expect(problemOf({ ...native, redirectUris: [address] })).toMatch(/^redirectUris\.0: expected/)
    },
  )

  it.each([
    ['a client that says who the user is, without authentication', { kind: 'external', authentication: 'none' }],
    ['a native client that says who the user is', { kind: 'external', native: true }],
    ['refresh tokens for the second step of another provider', { kind: 'external', refreshTokens: true }],
    ['a nonce in place of PKCE without authentication', { authentication: 'none', pkce: 'nonce' }],
    ['a nonce in place of PKCE on the user’s machine', { native: true, pkce: 'nonce' }],
    ['private_key_jwt without keys', { authentication: 'private_key_jwt' }],
    ['no redirect address', { redirectUris: [] }],
    ['an address twice', { redirectUris: [callback, callback] }],
    ['an unknown scope', { scopes: ['admin'] }],
    ['an address of keys without https', { jwksUri: 'http://wiki.example.com/jwks' }],
  ])('an OpenID client can’t have %s', (_, settings) => {
    expect(problemOf(settings)).toBeDefined()
  })

  inFullRun('an OpenID client can have public keys, without members that are unknown', () => {
    const jwk = { ...jwkOf().publicKey.export({ format: 'jwk' }), kid: 'k', x5u: 'https://attacker.example/' }
    const parsed = NewOidcClient.parse({
      name: 'Wiki',
      kind: 'external',
      redirectUris: [callback],
      authentication: 'private_key_jwt',
      jwks: { keys: [jwk] },
    })

    expect(parsed.jwks?.keys).toEqual([{ kty: 'RSA', n: jwk.n, e: 'AQAB', kid: 'k' }])
  })

  it('an OpenID client can’t have private, symmetric and short keys', () => {
    const keys = [
      jwkOf().privateKey.export({ format: 'jwk' }),
      { kty: 'oct', k: 'secret' },
      jwkOf(1024).publicKey.export({ format: 'jwk' }),
    ]
    for (const key of keys) expect(problemOf({ jwks: { keys: [key] } })).toBeDefined()
  })
})

describe.each(mainEngines)('clients in the console, on %s', (engine) => {
  const newDatabase = useEngine(engine)
  let running: Console
  let otherDomain: string

  beforeAll(async () => {
    running = await startConsole(await newDatabase())
    otherDomain = (await running.service.administration.createDomain(running.organization.id, { name: 'Other' })).id
  })
  afterAll(() => running.close())
  // Ceremonies are limited by address.
  beforeEach(() => running.clock.skip(600))

  const path = () => `/domains/${running.domain.id}/oidc-clients`
  const settings = { name: 'Wiki', kind: 'sign-in', redirectUris: [callback] }
  const admin = () => administrator(running, { role: 'admin', domains: [running.domain.id] })
  const verify = (clientId: string, secret: string, address = '192.0.2.1') =>
    oidcStateOf(running.service).verifyClientSecret({ clientId, secret, address })

  async function registered(more: object = {}) {
    const by = await admin()
    const { json, status } = await by.call('POST', path(), { body: { ...settings, ...more } })
    expect(status).toBe(200)
    const change = (body: object, version: number) =>
      by.call('PUT', `${path()}/${json.id}`, { body, headers: { 'if-match': `"${version}"` } })
    return { by, client: json, change }
  }

  it('an administrator registers an OpenID client, and sees its secret once', async () => {
    const { by, client } = await registered()

    expect(client).toMatchObject({ ...settings, secret: true, domain: running.domain.id, version: 1 })
    expect(client.clientSecret).toMatch(/^[A-Za-z0-9_-]{43}$/)
    const listed = await by.call('GET', path())
    expect(listed.json.map(({ id }: { id: string }) => id)).toContain(client.id)
    expect(listed.text).not.toContain(client.clientSecret)
    const rows = await running.ctx.store.db.selectFrom('oidcClient').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain(client.clientSecret)
  })

  it('the registry of OpenID clients has the metadata that oidc-provider reads, and no secret', async () => {
    const { client } = await registered({ refreshTokens: true, scopes: ['email'] })
    const registry = oidcStateOf(running.service).adapter('Client')

    const metadata = await registry.find(client.id)

    expect(metadata).toMatchObject({
      client_id: client.id,
      redirect_uris: [callback],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      scope: 'openid email',
      domain_id: running.domain.id,
      client_kind: 'sign-in',
    })
    expect(await verify(client.id, String(metadata!['client_secret']))).toEqual({ result: 'wrong' })
    await expect(registry.upsert('x', {})).rejects.toThrow(TypeError)
  })

  inFullRun(
    'an administrator of other domains, the help desk and an auditor can’t register OpenID clients',
    async () => {
      const others = [
        await administrator(running, { role: 'admin', domains: [otherDomain] }),
        await administrator(running, { role: 'helpdesk', domains: [running.domain.id] }),
        await administrator(running, { role: 'auditor' }),
      ]
      const answers = await Promise.all(others.map((by) => by.call('POST', path(), { body: settings })))

      expect(answers.map(({ status }) => status)).toEqual([404, 403, 403])
    },
  )

  it('an OpenID client is found in its own domain alone', async () => {
    const { client } = await registered()
    const owner = await administrator(running, { role: 'owner' })
    const elsewhere = `/domains/${otherDomain}/oidc-clients/${client.id}`

    const answers = [
      await owner.call('DELETE', elsewhere),
      await owner.call('POST', `${elsewhere}/secret`, { body: {} }),
      await owner.call('PUT', elsewhere, { body: { name: 'x' }, headers: { 'if-match': '"1"' } }),
    ]

    expect(answers.map(({ code }) => code)).toEqual(answers.map(() => 'api.error.notfound.oidcclient'))
  })

  it('a change of an OpenID client needs the current version, and a name alone ends nothing', async () => {
    const { client, change } = await registered()
    const pushed = oidcStateOf(running.service).adapter('Interaction')
    const begin = () => pushed.upsert('i', { params: { client_id: client.id } }, 600)
    await begin()

    expect((await change({ name: 'Handbook' }, 1)).json).toMatchObject({ name: 'Handbook', version: 2 })
    expect(await pushed.find('i')).toBeDefined()
    expect(await change({ name: 'Other' }, 1)).toMatchObject({ status: 412, code: 'api.error.precondition' })
    await change({ redirectUris: ['https://wiki.example.com/other'] }, 2)
    expect(await pushed.find('i')).toBeUndefined()
  })

  it('a change can’t leave an OpenID client with parts that contradict each other', async () => {
    const { change } = await registered()

    const answer = await change({ authentication: 'private_key_jwt' }, 1)

    expect(answer).toMatchObject({ status: 409, code: 'api.error.conflict.state' })
  })

  it('the new secret of an OpenID client is valid at once, and the old one for as long as was chosen', async () => {
    const { by, client } = await registered()
    const rotate = (overlap: number) => by.call('POST', `${path()}/${client.id}/secret`, { body: { overlap } })

    const { json: second } = await rotate(1)
    expect([await verify(client.id, client.clientSecret), await verify(client.id, second.clientSecret)]).toEqual([
      { result: 'right' },
      { result: 'right' },
    ])
    running.clock.skip(3600)
    expect(await verify(client.id, client.clientSecret)).toEqual({ result: 'wrong' })
    await by.signIn()
    const { json: third } = await rotate(0)
    expect(await verify(client.id, second.clientSecret)).toEqual({ result: 'wrong' })
    expect(await verify(client.id, third.clientSecret)).toEqual({ result: 'right' })
  })

  it('a second replacement of a secret ends the one before, and is refused with a version from before the first', async () => {
    const { by, client } = await registered()
    const rotate = (version: number) =>
      by.call('POST', `${path()}/${client.id}/secret`, {
        body: { overlap: 24 },
        headers: { 'if-match': `"${version}"` },
      })

    const { json: second } = await rotate(1)
    expect(await rotate(1)).toMatchObject({ status: 412, code: 'api.error.precondition' })
    expect(await verify(client.id, client.clientSecret)).toEqual({ result: 'right' })
    const { json: third } = await rotate(2)

    expect(await verify(client.id, client.clientSecret)).toEqual({ result: 'wrong' })
    expect(await verify(client.id, second.clientSecret)).toEqual({ result: 'right' })
    expect(await verify(client.id, third.clientSecret)).toEqual({ result: 'right' })
  })

  it('an OpenID client that authenticates otherwise loses its secret', async () => {
    const { client, change } = await registered()

    const { json } = await change({ authentication: 'none' }, 1)

    expect(json.secret).toBe(false)
    expect(await verify(client.id, client.clientSecret)).toEqual({ result: 'wrong' })
  })

  it('wrong secrets of an OpenID client are limited by client and address', async () => {
    const { client } = await registered()
    for (let count = 0; count < secretLimit.limit; count += 1) await verify(client.id, 'wrong', '198.51.100.7')

    expect(await verify(client.id, 'wrong', '198.51.100.7')).toMatchObject({ result: 'limited' })
    expect(await verify(client.id, 'wrong')).toEqual({ result: 'wrong' })
    running.clock.skip(secretLimit.window)
    expect(await verify(client.id, 'wrong', '198.51.100.7')).toEqual({ result: 'wrong' })
  })

  it('the right secret of an OpenID client counts after any number of wrong ones from its address', async () => {
    const { client } = await registered()
    for (let count = 0; count <= secretLimit.limit; count += 1) await verify(client.id, 'wrong', '198.51.100.8')

    expect(await verify(client.id, client.clientSecret, '198.51.100.8')).toEqual({ result: 'right' })
  })

  it('a removed OpenID client is gone', async () => {
    const { by, client } = await registered()

    expect((await by.call('DELETE', `${path()}/${client.id}`)).status).toBe(200)

    expect(await verify(client.id, client.clientSecret)).toEqual({ result: 'wrong' })
    expect((await by.call('DELETE', `${path()}/${client.id}`)).code).toBe('api.error.notfound.oidcclient')
  })

  it('a domain has a limited number of OpenID clients', async () => {
    const by = await administrator(running, { role: 'owner' })
    const { db } = running.ctx.store
    const [row] = await db.selectFrom('oidcClient').selectAll().limit(1).execute()
    const rows = Array.from({ length: 100 }, (_, index) => ({ ...row!, id: `full${index}`, domainId: otherDomain }))
    await db.insertInto('oidcClient').values(rows).execute()

    const answer = await by.call('POST', `/domains/${otherDomain}/oidc-clients`, { body: settings })

    expect(answer).toMatchObject({ status: 409, code: 'api.error.conflict.state' })
  })
})

import { X509Certificate } from 'node:crypto'

import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose'
import type { JSONWebKeySet } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { currentCode } from '../../src/device/offline-code.ts'
import { inFullRun } from '../support/full-run.ts'
import { createEntraTenant, usualClaims } from './entra-tenant.ts'
import type { EntraTenant, HintOptions } from './entra-tenant.ts'
import { openSignIn, startProvider, usePasskey } from './start-provider.ts'
import type { RegisteredClient, StartedProvider } from './start-provider.ts'
import type { Tabs } from './tabs.ts'

const microsoft = 'https://login.microsoftonline.com/common/federation/externalauthprovider'
const notBrought = { 'sec-fetch-site': 'cross-site', origin: 'https://login.microsoftonline.com' }

/** Unix time, seconds. */
const now = () => Math.floor(Date.now() / 1000)

let tenant: EntraTenant
let otherTenant: EntraTenant
let provider: StartedProvider
let client: RegisteredClient

beforeAll(async () => {
  tenant = createEntraTenant()
  otherTenant = createEntraTenant({ application: tenant.application })
  const fetchFrom = (address: string) => (address.includes(otherTenant.tenant) ? otherTenant : tenant).fetch(address)
  provider = await startProvider({}, {}, { fetchFrom })
  client = await registerTenant(tenant)
  await provider.addUser('mia@contoso.com')
  // Loads what the first request needs, which devices do not wait for.
  await provider.browser().get(provider.pages('entra'))
})
afterAll(() => provider.close())

const registerTenant = (of: EntraTenant, more: Partial<NonNullable<RegisteredClient['entra']>> = {}) =>
  provider.register('Entra', {
    kind: 'entra',
    authentication: 'none',
    redirectUris: [],
    postLogoutRedirectUris: [],
    scopes: [],
    entra: { ...of.settings, ...more },
  })

interface Brought extends HintOptions {
  readonly username?: string
  readonly parameters?: Readonly<Record<string, string | undefined>>
  readonly to?: RegisteredClient
  readonly browser?: Tabs
}

/** Entra brings a browser with its form. */
async function bring({ username, parameters, to = client, browser = provider.browser(), ...hint }: Brought) {
  const token = tenant.hint({ ...hint, claims: { preferred_username: username, ...hint.claims } })
  const form = tenant.form(to.id, token, parameters)
  const answer = await browser.submit('/oidc/authorize', form, notBrought)
  return { browser, form, answer }
}

/** The fields that a page posts, and where to. */
function posted({ text }: { readonly text: string }) {
  const [, action] = /<form method="post" action="([^"]*)">/.exec(text) ?? []
  const inputs = [...text.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)]
  const fields: Record<string, string | undefined> = Object.fromEntries(
    inputs.map(([, name = '', value]) => [name, value]),
  )
  return { action, fields }
}

const errorOf = (answer: { readonly text: string }) => posted(answer).fields['error']

async function signedIn(username: string, brought: Brought = {}) {
  const { user, account } = await provider.enroll(username)
  const { browser, form, answer } = await bring({ username, ...brought })
  const { page } = await browser.follow(answer)
  const openCookies = browser.jar()
  const last = await provider.approve(browser, account, page, 'entra')
  return { user, account, browser, form, openCookies, page: last.page, path: last.path }
}

async function verified(token: string | undefined) {
  const keys = (await (await fetch(`${provider.url}/oidc/jwks`)).json()) as JSONWebKeySet
  const { payload } = await jwtVerify(token ?? '', createLocalJWKSet(keys), {
    issuer: provider.url,
    audience: client.id,
    algorithms: ['RS256'],
  })
  return { payload, keys }
}

describe('an external authentication method of Microsoft Entra', () => {
  inFullRun(
    'an external authentication method of Microsoft Entra asks the device of the user whom the tenant names, and tells Entra so',
    async () => {
      const { user, page, form } = await signedIn('ada@contoso.com')

      const { action, fields } = posted(page)
      const { payload } = await verified(fields['id_token'])
      const { iat = 0, ...claims } = payload

      expect(action).toBe(microsoft)
      expect(Object.keys(fields).toSorted()).toEqual(['id_token', 'state'])
      expect(fields['state']).toBe(form['state'])
      expect(claims).toEqual({
        iss: provider.url,
        aud: client.id,
        sub: 'mBfcvuhSHkDWVgV72x2ruIYdSsPSvcj2R0qfc6mGEAA',
        nonce: form['nonce'],
        acr: 'possessionorinherence',
        amr: ['swk'],
        exp: iat + 600,
      })
      expect(provider.events).toContainEqual(
        expect.objectContaining({ event: 'signed_in', clientId: client.id, userId: user.id, amr: ['swk'] }),
      )
      expect(page.headers['content-security-policy']).toContain('form-action https://login.microsoftonline.com')
      expect(provider.trouble).toEqual([])
    },
  )

  inFullRun(
    'an external authentication method of Microsoft Entra leaves no cookie of a request that was answered',
    async () => {
      const { browser } = await signedIn('max@contoso.com')

      expect(browser.cookies().filter((name) => name.startsWith('oidc-browser-'))).toEqual([])
    },
  )

  it('an external authentication method of Microsoft Entra ends in this browser with a logout of any client', async () => {
    const { user, browser } = await signedIn('lou@contoso.com')
    const config = await provider.configure(provider.signIn)
    const { base } = await openSignIn(config, browser)
    const { page: entered } = await browser.visit(provider.pages('entra'))
    await browser.visit((await usePasskey(browser, base, await provider.addPasskey(user.id))) ?? '')

    const { page } = await browser.visit('/oidc/logout')
    const [, xsrf = ''] = /name="xsrf" value="([^"]*)"/.exec(page.text) ?? []
    await browser.follow(await browser.submit('/oidc/logout/confirm', { xsrf, logout: 'yes' }))
    const { page: left } = await browser.visit(provider.pages('entra'))

    // The request of Entra has ended, but the person is known as long as the web session lasts.
    expect([entered.status, left.status]).toEqual([400, 401])
  })

  inFullRun(
    'an external authentication method of Microsoft Entra publishes the certificate of each key, and the flow of Entra in the metadata',
    async () => {
      const { page } = await signedIn('bea@contoso.com')
      const token = posted(page).fields['id_token'] ?? ''
      const { keys } = await verified(token)
      const metadata = (await (await fetch(`${provider.url}/.well-known/openid-configuration`)).json()) as Record<
        string,
        unknown
      >

      const key = keys.keys.find(({ kid }) => kid === decodeProtectedHeader(token).kid)
      const certificate = new X509Certificate(Buffer.from(key?.x5c?.[0] ?? '', 'base64'))
      const { n, e, kty } = key ?? {}

      expect(certificate.publicKey.export({ format: 'jwk' })).toEqual({ n, e, kty })
      expect(certificate.verify(certificate.publicKey)).toBe(true)
      expect(key).not.toHaveProperty('d')
      expect(metadata).toMatchObject({
        issuer: provider.url,
        authorization_endpoint: `${provider.url}/oidc/authorize`,
        response_types_supported: ['code', 'id_token'],
        response_modes_supported: expect.arrayContaining(['form_post']),
        id_token_signing_alg_values_supported: ['RS256'],
        subject_types_supported: ['public'],
      })
    },
  )

  it('an external authentication method of Microsoft Entra asks again each time, whatever was passed in the browser before', async () => {
    const { browser, account } = await signedIn('cyd@contoso.com')

    const { answer } = await bring({ username: 'cyd@contoso.com', browser })
    const again = await browser.follow(answer)
    const { page } = await provider.approve(browser, account, again.page, 'entra')

    expect(posted(again.page).action).not.toBe(microsoft)
    expect(posted(page).fields['id_token']).toBeDefined()
  })

  it('an external authentication method of Microsoft Entra answers a request once', async () => {
    const { browser, path, openCookies } = await signedIn('dan@contoso.com')
    // A browser forgets the cookie of a request that was answered.
    const copy = provider.browser()
    for (const cookie of openCookies) copy.plant(cookie)

    for (const asking of [browser, copy]) {
      const { page } = await asking.visit(path)
      expect(page.status).toBe(400)
      expect(posted(page).fields).toEqual({})
    }
  })

  it('an external authentication method of Microsoft Entra opens in no other browser than the one that has brought the request', async () => {
    await provider.enroll('eve@contoso.com')
    const { answer } = await bring({ username: 'eve@contoso.com' })
    const [, path = ''] = /url=(.*)$/.exec(String(answer.headers['refresh'])) ?? []

    const { page } = await provider.browser().visit(path)

    expect(page.status).toBe(400)
  })

  inFullRun('an external authentication method of Microsoft Entra tells Entra of a person who gives up', async () => {
    await provider.enroll('fay@contoso.com')
    const { browser, answer } = await bring({ username: 'fay@contoso.com' })
    await browser.follow(answer)

    const { page } = await browser.follow(await browser.submit(`${provider.pages('entra')}/cancel`))

    expect(posted(page)).toMatchObject({ action: microsoft, fields: { error: 'access_denied' } })
    expect(provider.events).toContainEqual(expect.objectContaining({ event: 'refused', reason: 'access_denied' }))
  })

  inFullRun(
    'an external authentication method of Microsoft Entra accepts no recovery code, for which Entra has no word',
    async () => {
      const { user } = await provider.enroll('gil@contoso.com')
      const { code = '' } = await provider.api.bypassCodes.create(user.id, { usesAllowed: 1, expirationTime: 30 })
      const { browser, answer } = await bring({ username: 'gil@contoso.com' })
      await browser.follow(answer)

      const { page } = await browser.follow(await browser.submit(`${provider.pages('entra')}/code`, { code }))

      expect(posted(page).action).not.toBe(microsoft)
    },
  )

  it('an external authentication method of Microsoft Entra asks no device where Entra accepts codes alone', async () => {
    const { account } = await provider.enroll('hal@contoso.com')
    const claims = requesting('possession', ['otp'])
    const { browser, answer } = await bring({ username: 'hal@contoso.com', parameters: { claims } })
    await browser.follow(answer)

    const { requests = [] } = await provider.device.requests(account)
    const { code = '' } = (await currentCode(account, now())) ?? {}
    const { page } = await browser.follow(await browser.submit(`${provider.pages('entra')}/code`, { code }))
    const { payload } = await verified(posted(page).fields['id_token'])

    expect(requests).toEqual([])
    expect(payload).toMatchObject({ acr: 'possession', amr: ['otp'] })
  })

  inFullRun.each([
    ['fido', usualClaims.id_token.amr.values],
    ['pop', ['face', 'pop']],
  ])(
    'an external authentication method of Microsoft Entra calls a passkey %s where Entra accepts %s',
    async (amr, values) => {
      const { user } = await provider.enroll(`${amr}@contoso.com`)
      const passkey = await provider.addPasskey(user.id)
      const claims = requesting('possessionorinherence', values)
      const { browser, answer } = await bring({ username: user.username, parameters: { claims } })
      await browser.follow(answer)

      const path = `${provider.pages('entra')}/passkey`
      const { text } = await browser.submit(`${path}/options`)
      const response = JSON.stringify(passkey.use(JSON.parse(text) as Parameters<typeof passkey.use>[0]))
      const { page } = await browser.follow(await browser.submit(path, { response }))
      const { payload } = await verified(posted(page).fields['id_token'])

      expect(payload['amr']).toEqual([amr])
    },
  )
})

describe('who is named by a tenant', () => {
  inFullRun('who is named by a tenant is found without regard to case, as Entra compares usernames', async () => {
    const { page } = await signedIn('ida@contoso.com', { claims: { preferred_username: 'Ida@Contoso.com' } })

    expect(posted(page).fields['id_token']).toBeDefined()
  })

  inFullRun('who is named by a tenant can be named by the object id', async () => {
    const byId = await registerTenant(tenant, { username: 'oid' })
    const { user, account } = await provider.enroll('951ddb04-b16d-45f3-bbf7-b0fa18fa7aee')

    const { browser, answer } = await bring({ username: 'somebody@contoso.com', to: byId })
    const { page } = await browser.follow(answer)
    const last = await provider.approve(browser, account, page, 'entra')

    expect(posted(last.page).fields['id_token']).toBeDefined()
    expect(provider.events).toContainEqual(expect.objectContaining({ clientId: byId.id, userId: user.id }))
  })

  it.each([
    ['unknown', () => Promise.resolve()],
    [
      'a user of other apps',
      () => provider.api.users.create({ username: 'jon@contoso.com', name: 'Jon', email: 'jon@contoso.com' }),
    ],
  ])('who is named by a tenant is refused if %s', async (_, create) => {
    await create()

    const { answer } = await bring({ username: 'jon@contoso.com' })

    expect(errorOf(answer)).toBe('access_denied')
  })
})

describe('a request that Entra would not send', () => {
  it.each<[string, () => Brought, string]>([
    ['a key of another tenant', () => ({ signedBy: otherTenant }), 'invalid_request'],
    [
      'the id of a key for another key',
      () => ({ signedBy: otherTenant, header: { kid: tenant.key().jwk.kid } }),
      'invalid_request',
    ],
    ['an issuer of another tenant', () => ({ claims: { iss: otherTenant.issuer } }), 'invalid_request'],
    [
      'the id of another tenant, whose user has the same object id',
      () => ({ claims: { tid: otherTenant.tenant } }),
      'invalid_request',
    ],
    ['another application', () => ({ claims: { aud: '00000000-0000-4000-8000-000000000000' } }), 'invalid_request'],
    ['several applications', () => ({ claims: { aud: [tenant.application, 'other'] } }), 'invalid_request'],
    ['a hint of seven minutes ago', () => ({ claims: { iat: now() - 420 } }), 'invalid_request'],
    ['a hint of the future', () => ({ claims: { iat: now() + 120 } }), 'invalid_request'],
    ['a hint without a subject', () => ({ claims: { sub: undefined } }), 'invalid_request'],
    ['another algorithm', () => ({ algorithm: 'PS256' }), 'invalid_request'],
    [
      'another algorithm that calls itself RS256',
      () => ({ algorithm: 'PS256', header: { alg: 'RS256' } }),
      'invalid_request',
    ],
    ['the public key as a secret', () => ({ algorithm: 'HS256' }), 'invalid_request'],
    ['no signature', () => ({ algorithm: 'none' }), 'invalid_request'],
    ['a critical extension', () => ({ header: { crit: ['b64'], b64: true } }), 'invalid_request'],
    ['no hint', () => ({ parameters: { id_token_hint: undefined } }), 'invalid_request'],
    [
      'a bare login_hint',
      () => ({ parameters: { id_token_hint: undefined, login_hint: 'mia@contoso.com' } }),
      'invalid_request',
    ],
    ['no nonce', () => ({ parameters: { nonce: undefined } }), 'invalid_request'],
    ['another response mode', () => ({ parameters: { response_mode: 'fragment' } }), 'invalid_request'],
    ['another response type', () => ({ parameters: { response_type: 'code' } }), 'unsupported_response_type'],
    ['another scope', () => ({ parameters: { scope: 'profile' } }), 'invalid_scope'],
    ['no claims', () => ({ parameters: { claims: undefined } }), 'invalid_request'],
    [
      'an acr that nothing here meets',
      () => ({ parameters: { claims: requesting('inherence', ['swk', 'pop']) } }),
      'unmet_authentication_requirements',
    ],
    [
      'values of amr that nothing here meets',
      () => ({ parameters: { claims: requesting('possession', ['face', 'sms']) } }),
      'unmet_authentication_requirements',
    ],
  ])('a request that Entra would not send is refused with %s', async (_, brought, error) => {
    const { answer, form } = await bring({ username: 'mia@contoso.com', ...brought() })

    expect(posted(answer)).toMatchObject({ action: microsoft, fields: { error, state: form['state'] } })
  })

  it('a request that Entra would not send is refused with a hint that was used before, however its signature is written', async () => {
    const { form, browser } = await bring({ username: 'mia@contoso.com' })
    const { id_token_hint: hint = '' } = form

    const again = await browser.submit('/oidc/authorize', form, notBrought)
    const padded = await browser.submit('/oidc/authorize', { ...form, id_token_hint: `${hint}==` }, notBrought)

    expect([errorOf(again), errorOf(padded)]).toEqual(['invalid_request', 'invalid_request'])
  })

  it('a request that Entra would not send is answered to nobody but Microsoft', async () => {
    const { answer } = await bring({
      username: 'mia@contoso.com',
      parameters: { redirect_uri: `${microsoft}/` },
    })

    expect(answer.status).toBe(400)
    expect(posted(answer).fields).toEqual({})
  })

  it('a request that Entra would not send is refused with the hint for another client', async () => {
    const other = await registerTenant(otherTenant)

    const { answer } = await bring({ username: 'mia@contoso.com', to: other })

    expect(errorOf(answer)).toBe('invalid_request')
  })

  it('a request that Entra would not send is nothing that oidc-provider accepts for such a client', async () => {
    const { page } = await provider
      .browser()
      .visit(`/oidc/authorize?client_id=${client.id}&response_type=id_token&scope=openid&nonce=n`)

    expect(page.status).toBe(400)
  })
})

const requesting = (acr: string, values: readonly string[]) =>
  JSON.stringify({ id_token: { acr: { values: [acr] }, amr: { values } } })

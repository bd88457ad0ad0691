import * as openid from 'openid-client'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'

import type { ServiceHandle } from '../../src/service-handle.ts'
import { StoreUnavailableError } from '../../src/service/engine/base/store-errors.ts'
import type { OidcAdapter } from '../../src/service/oidc-state.ts'
import { authorizationRequest, errorIn, openSignIn, startProvider } from './start-provider.ts'
import type { RegisteredClient, StartedProvider } from './start-provider.ts'
import { inFullRun } from '../support/full-run.ts'

let provider: StartedProvider
let external: openid.Configuration
let asker: RegisteredClient
/** What does not answer: the calls about the second step, or those and the storage of the provider. */
let down: 'calls' | 'everything' | undefined

/** The service, whose calls fail while its database is down. */
function failing(handle: ServiceHandle): ServiceHandle {
  return {
    ...handle,
    async connect(facts) {
      const connection = await handle.connect(facts)
      const send: typeof fetch = (input, init) =>
        down
          ? Promise.reject(new TypeError('fetch failed', { cause: new StoreUnavailableError('down') }))
          : (connection.fetch ?? fetch)(input, init)
      return { ...connection, fetch: send }
    },
  }
}

/** Storage of the provider that fails at the same time. Clients are still known, as if the database went down a moment later. */
function failingToo(adapter: OidcAdapter, model: string): OidcAdapter {
  const fail = () => Promise.reject(new StoreUnavailableError('down'))
  const failures = { find: fail, upsert: fail }
  return new Proxy(adapter, {
    get: (target, name: keyof OidcAdapter) =>
      down === 'everything' && model !== 'Client' && name in failures
        ? failures[name as keyof typeof failures]
        : target[name],
  })
}

beforeAll(async () => {
  provider = await startProvider(
    {},
    {
      handleFor: (domainId) => failing(provider.ownState.handleFor(domainId)),
      adapter: (model, strangerOf) => failingToo(provider.ownState.adapter(model, strangerOf), model),
    },
  )
  external = await provider.configure(provider.external)
  const addresses = { redirectUris: [], postLogoutRedirectUris: [] }
  asker = await provider.register('Call center', { kind: 'ciba', ciba: {}, ...addresses })
  await provider.browser().get(provider.pages('external'))
})
afterEach(() => void (down = undefined))
afterAll(() => provider.close())

describe('while the database does not answer', () => {
  inFullRun('while the database does not answer, a client that asks nobody gets temporarily_unavailable', async () => {
    const { account } = await provider.enroll('ada')
    const browser = provider.browser()
    const first = await authorizationRequest({ login_hint: 'ada' })
    const opened = await browser.visit((await openid.buildAuthorizationUrlWithPAR(external, first.request)).href)
    await provider.approve(browser, account, opened.page)
    const { request } = await authorizationRequest({ login_hint: 'ada', prompt: 'none' })
    const address = await openid.buildAuthorizationUrlWithPAR(external, request)

    down = 'calls'
    const { left } = await browser.visit(address.href)

    expect(errorIn(left)).toBe('temporarily_unavailable')
  })

  it.each([
    ['asks on a device', 'backchannel', { scope: 'openid', login_hint: 'bob' }],
    ['asks for a result', 'token', { grant_type: 'urn:openid:params:grant-type:ciba', auth_req_id: 'unknown' }],
    ['pushes a request', 'par', {}],
  ])('while the database does not answer, a client that %s gets temporarily_unavailable', async (_, path, form) => {
    const { request } = await authorizationRequest({ login_hint: 'bob' })
    const client = path === 'par' ? provider.external : asker
    const authorization = `Basic ${Buffer.from(`${client.id}:${client.clientSecret}`).toString('base64')}`
    const body = new URLSearchParams(
      path === 'par' ? { ...request, response_type: 'code', client_id: client.id } : { ...form },
    )

    down = 'everything'
    const answer = await fetch(`${provider.url}/oidc/${path}`, { method: 'POST', body, headers: { authorization } })

    expect([answer.status, await answer.json()]).toEqual([
      503,
      { error: 'temporarily_unavailable', error_description: 'the service does not respond' },
    ])
  })

  it('while the database does not answer, a person whose sign-in is open gets the page that says so', async () => {
    const browser = provider.browser()
    const { base } = await openSignIn(await provider.configure(provider.signIn), browser)

    down = 'everything'
    const answer = await browser.get(base)

    expect(answer.status).toBe(503)
    expect(answer.text).toContain('<h1')
  })
})

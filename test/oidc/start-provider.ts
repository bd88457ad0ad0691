import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import * as openid from 'openid-client'
import { createClient } from 'second-factor/client'
import { embedded } from 'second-factor/service'
import type { EmbeddedOptions } from 'second-factor/service'

import type { NewOidcClient } from '../../src/admin-contract/oidc-client-settings.ts'
import type { OidcClientWithSecret } from '../../src/admin-contract/oidc-clients.ts'
import type { User } from '../../src/contract/users.ts'
import { createDevice } from '../../src/device/index.ts'
import { systemClock } from '../../src/ground/clock.ts'
import { createOidc } from '../../src/oidc/oidc.ts'
import type { Connections } from '../../src/oidc/oidc.ts'
import { resolveOidcOptions } from '../../src/oidc/options.ts'
import type { OidcOptions } from '../../src/oidc/options.ts'
import { addOidcClient } from '../../src/service/features/oidc/clients.ts'
import type { OidcEvent } from '../../src/service/features/oidc/record.ts'
import { changeDomain } from '../../src/service/features/domains/administration.ts'
import { organizationOfDomain } from '../../src/service/features/domains/statements.ts'
import { oidcStateOf } from '../../src/service/oidc-state.ts'
import type { OidcState } from '../../src/service/oidc-state.ts'
import { openedFor } from '../../src/service/opened-for.ts'
import { quickHash } from '../service/start-service.ts'
import type { UsernamelessOptions } from '../../src/contract/webauthn.ts'
import { createTestPasskey } from '../../src/testing/test-passkey.ts'
import type { TestPasskey } from '../../src/testing/test-passkey.ts'
import { closeForNext, listenAgain } from '../support/listen-again.ts'
import { numberOn, people } from '../support/web-app.ts'
import { createTabs } from './tabs.ts'
import type { Tabs } from './tabs.ts'

export const callback = 'https://app.example/callback'

/** A client, with its secret if it has one. */
export type RegisteredClient = Omit<OidcClientWithSecret, 'clientSecret'> & {
  readonly clientSecret: string | undefined
}

export type StartedProvider = Awaited<ReturnType<typeof startProvider>>

/** A provider over a real service, on a real port, with one client of each kind. Close it at the end. */
export async function startProvider(
  options: Partial<OidcOptions> = {},
  replaced: Partial<OidcState> = {},
  connections: Connections = {},
  serviceOptions: Partial<EmbeddedOptions> = {},
) {
  const service = embedded({ database: ':memory:', pinHashCost: quickHash, ...serviceOptions })
  const { domainId, ...connection } = await service.connect()
  const api = createClient(connection)
  const { ctx } = (await openedFor(service)!()).service
  const kept = oidcStateOf(service)
  const events: OidcEvent[] = []
  const state: OidcState = {
    ...kept,
    record(event) {
      events.push(event)
      return kept.record(event)
    },
    ...replaced,
  }
  const trouble: string[] = []
  const server = createServer((req, res) => handler(req, res))
  await listenAgain(server)
  const url = `http://localhost:${(server.address() as AddressInfo).port}`
  const logger = { info() {}, warn() {}, error: (message: string) => void trouble.push(message) }
  const resolved = resolveOidcOptions({ service, issuer: url, logger, ...options })
  const handler = createOidc(resolved, state, connections)

  async function register(name: string, settings: Partial<NewOidcClient> = {}): Promise<RegisteredClient> {
    const { client, secret } = await addOidcClient(
      ctx,
      { organizationId: await organizationOfDomain(ctx.store.db, domainId), domainId },
      {
        name,
        kind: 'external',
        redirectUris: [callback],
        postLogoutRedirectUris: ['https://app.example/'],
        scopes: ['profile', 'email'],
        ...settings,
      },
    )
    return { ...client, clientSecret: secret }
  }

  async function addUser(username: string): Promise<User> {
    const user = await api.users.create({ username, name: username, email: `${username}@example.com` })
    await api.domains.addUser(domainId, user.id)
    return user
  }

  const pages = (kind: string) => `/oidc/${kind}/${domainId}`
  const { answer } = people(url, systemClock, trouble)
  const device = createDevice({ clock: systemClock })

  return {
    url,
    domainId,
    api,
    service,
    trouble,
    /** What the provider has recorded. */
    events,
    state,
    /** The state without what a test replaces. */
    ownState: kept,
    external: await register('idp'),
    signIn: await register('wiki', { kind: 'sign-in' }),
    register,
    addUser,
    answer,
    device,
    /** Where the second step of the clients of a kind has its pages. */
    pages,
    browser: () => createTabs(url),
    configure: (client: RegisteredClient, authentication?: openid.ClientAuth) =>
      openid.discovery(new URL(url), client.id, client.clientSecret, authentication, {
        execute: [openid.allowInsecureRequests],
      }),
    addPasskey: (userId: string) => createTestPasskey({ client: api, domainId }, userId, url),
    /** A user with a device. */
    async enroll(username: string) {
      const user = await addUser(username)
      const { code = '' } = await api.tokens.issue(domainId, user.id)
      return { user, account: await device.activate(url + pages('external'), code, { name: 'Phone' }) }
    },
    /** Approves the request that the page shows, and continues as the page does. */
    async approve(browser: Tabs, account: Parameters<typeof answer>[0], page: { text: string }, kind = 'external') {
      await answer(account, 'approve', numberOn(page))
      return browser.follow(await browser.submit(`${pages(kind)}/complete`))
    },
    /** Changes settings of the domain, as its administrator does. */
    setDomain: async (changes: Parameters<typeof changeDomain>[3]) =>
      changeDomain(ctx, await organizationOfDomain(ctx.store.db, domainId), domainId, changes),
    /** Another node, with the same store. */
    async otherNode() {
      let other: ReturnType<typeof createOidc> | undefined
      const second = createServer((req, res) => other?.(req, res))
      await listenAgain(second)
      other = createOidc(resolved, oidcStateOf(service), connections)
      const { port } = second.address() as AddressInfo
      return { url: `http://localhost:${port}`, close: () => (other?.close(), closeForNext(second)) }
    },
    async close() {
      handler.close()
      await closeForNext(server)
      await service.close()
    },
  }
}

/** An authorization request as openid-client makes it. */
export async function authorizationRequest(parameters: Record<string, string> = {}) {
  const pkceCodeVerifier = openid.randomPKCECodeVerifier()
  const [expectedNonce, expectedState] = [openid.randomNonce(), openid.randomState()]
  const request = {
    redirect_uri: callback,
    scope: 'openid profile email',
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    nonce: expectedNonce,
    state: expectedState,
    ...parameters,
  }
  return { request, checks: { pkceCodeVerifier, expectedNonce, expectedState } }
}

/** Pushes an authorization request that names a user, and opens it. */
export async function ask(config: openid.Configuration, browser: Tabs, parameters: Record<string, string>) {
  const { request, checks } = await authorizationRequest(parameters)
  const address = await openid.buildAuthorizationUrlWithPAR(config, request)
  return { address, checks, ...(await browser.visit(address.href)) }
}

/** Opens the page on which people sign in by passkey, and reads where its button leads. */
export async function openSignIn(config: openid.Configuration, browser: Tabs, parameters: Record<string, string> = {}) {
  const { request, checks } = await authorizationRequest(parameters)
  const visited = await browser.visit(openid.buildAuthorizationUrl(config, request).href)
  const [, base = ''] = /data-base="([^"]*\/interaction\/[^"]*)"/.exec(visited.page.text) ?? []
  return { base, checks, ...visited }
}

/** Signs in by passkey on an open page. @returns where the page continues. */
export async function usePasskey(browser: Tabs, base: string, passkey: TestPasskey): Promise<string | undefined> {
  const options = JSON.parse((await browser.submit(`${base}/passkey/options`)).text) as UsernamelessOptions
  const answer = await browser.submit(`${base}/passkey`, { response: JSON.stringify(passkey.use(options)) })
  return (answer.body as { location?: string }).location
}

/** Opens an authorization request, and signs in by passkey. @returns the address that leads back to the client. */
export async function signInAt(browser: Tabs, request: string, passkey: TestPasskey): Promise<URL> {
  const { page } = await browser.visit(request)
  const [, base = ''] = /data-base="([^"]*\/interaction\/[^"]*)"/.exec(page.text) ?? []
  const { left } = await browser.visit((await usePasskey(browser, base, passkey)) ?? '')
  if (!left) throw new Error('the provider has not sent the browser back')
  return left
}

/** The error that the client gets. */
export const errorIn = (left: URL | undefined) => left?.searchParams.get('error')

import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import * as openid from 'openid-client'
import { createClient } from 'second-factor/client'
import { embedded } from 'second-factor/service'

import type { User } from '../../src/contract/users.ts'
import { createDevice } from '../../src/device/index.ts'
import { systemClock } from '../../src/ground/clock.ts'
import { createOidc } from '../../src/oidc/oidc.ts'
import { resolveOidcOptions } from '../../src/oidc/options.ts'
import type { OidcOptions } from '../../src/oidc/options.ts'
import { quickHash } from '../service/start-service.ts'
import { closeForNext, listenAgain } from '../support/listen-again.ts'
import { createMemoryOidcState } from '../support/memory-oidc-state.ts'
import type { RegisteredClient } from '../support/memory-oidc-state.ts'
import { numberOn, people } from '../support/web-app.ts'
import { createTabs } from './tabs.ts'
import type { Tabs } from './tabs.ts'

export const callback = 'https://app.example/callback'

export type StartedProvider = Awaited<ReturnType<typeof startProvider>>

/** A provider over a real service, on a real port, with one client of each kind. Close it at the end. */
export async function startProvider(options: Partial<OidcOptions> = {}) {
  const service = embedded({ database: ':memory:', pinHashCost: quickHash })
  const { domainId, ...connection } = await service.connect()
  const api = createClient(connection)
  const memory = createMemoryOidcState(service)
  const trouble: string[] = []
  const server = createServer((req, res) => handler(req, res))
  await listenAgain(server)
  const url = `http://localhost:${(server.address() as AddressInfo).port}`
  const logger = { info() {}, warn() {}, error: (message: string) => void trouble.push(message) }
  const resolved = resolveOidcOptions({ service, issuer: url, logger, ...options })
  const handler = createOidc(resolved, memory.state)

  function register(id: string, client: Partial<RegisteredClient> = {}): RegisteredClient {
    const registered: RegisteredClient = {
      id,
      domainId,
      name: id,
      kind: 'external',
      authentication: 'client_secret_basic',
      native: false,
      redirectUris: [callback],
      postLogoutRedirectUris: ['https://app.example/'],
      jwks: null,
      jwksUri: null,
      refreshTokens: false,
      scopes: ['profile', 'email'],
      createdAt: 0,
      secret: randomBytes(32).toString('base64url'),
      ...client,
    }
    memory.register(registered)
    return registered
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
    memory,
    external: register('idp'),
    signIn: register('wiki', { kind: 'sign-in' }),
    register,
    addUser,
    answer,
    /** Where the second step of the clients of a kind has its pages. */
    pages,
    browser: () => createTabs(url),
    configure: (client: RegisteredClient, authentication?: openid.ClientAuth) =>
      openid.discovery(new URL(url), client.id, client.secret, authentication, {
        execute: [openid.allowInsecureRequests],
      }),
    /** A user with a device. */
    async enroll(username: string) {
      const user = await addUser(username)
      const { code = '' } = await api.tokens.issue(domainId, user.id)
      return { user, account: await device.activate(url + pages('external'), code, { name: 'Phone' }) }
    },
    /** Approves the request that the page shows, and continues as the page does. */
    async approve(browser: Tabs, account: Parameters<typeof answer>[0], page: { text: string }) {
      await answer(account, 'approve', numberOn(page))
      return browser.follow(await browser.submit(`${pages('external')}/complete`))
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

/** The error that the client gets. */
export const errorIn = (left: URL | undefined) => left?.searchParams.get('error')

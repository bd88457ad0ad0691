import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import * as openid from 'openid-client'
import { createClient } from 'second-factor/client'
import { embedded } from 'second-factor/service'
import { onTestFinished } from 'vitest'

import { createDevice } from '../../src/device/index.ts'
import { createOidc } from '../../src/oidc/oidc.ts'
import { resolveOidcOptions } from '../../src/oidc/options.ts'
import type { OidcOptions } from '../../src/oidc/options.ts'
import type { Browser } from '../support/browser.ts'
import { createBrowser } from '../support/browser.ts'
import type { HttpResponse } from '../support/http-request.ts'
import { closeForNext, listenAgain } from '../support/listen-again.ts'
import { createMemoryOidcState } from '../support/memory-oidc-state.ts'
import type { RegisteredClient } from '../support/memory-oidc-state.ts'
import { people } from '../support/web-app.ts'
import { systemClock } from '../../src/ground/clock.ts'
import { quickHash } from '../service/start-service.ts'

export const callback = 'https://app.example/callback'

/** A provider over a real service, on a real port, with one client of each kind. */
export async function startProvider(options: Partial<OidcOptions> = {}) {
  const service = embedded({ database: ':memory:', pinHashCost: quickHash })
  const { domainId, fetch: call, ...connection } = await service.connect()
  const api = createClient({ ...connection, ...(call && { fetch: call }) })
  const memory = createMemoryOidcState(service)
  const trouble: string[] = []
  const server = createServer((req, res) => handler(req, res))
  await listenAgain(server)
  const url = `http://localhost:${(server.address() as AddressInfo).port}`
  const logger = { info() {}, warn() {}, error: (message: string) => void trouble.push(message) }
  const resolved = resolveOidcOptions({ service, issuer: url, logger, ...options })
  const handler = createOidc(resolved, memory.state)
  onTestFinished(async () => {
    handler.close()
    await closeForNext(server)
    await service.close()
  })

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

  const external = register('idp')
  const signIn = register('wiki', { kind: 'sign-in' })

  async function addUser(username: string) {
    const user = await api.users.create({ username, name: username, email: `${username}@example.com` })
    await api.domains.addUser(domainId, user.id)
    return user
  }

  const configure = (client: RegisteredClient) =>
    openid.discovery(new URL(url), client.id, client.secret, undefined, { execute: [openid.allowInsecureRequests] })

  const here = people(url, systemClock, trouble)

  return {
    url,
    domainId,
    api,
    service,
    trouble,
    memory,
    external,
    signIn,
    register,
    addUser,
    configure,
    browser: () => createBrowser(url),
    device: createDevice({ clock: systemClock }),
    answer: here.answer,
    activate: here.activate,
    /** Where the second step of a kind of clients has its pages. */
    pages: (kind: string) => `/oidc/${kind}/${domainId}`,
  }
}

export type StartedProvider = Awaited<ReturnType<typeof startProvider>>

/** Follows redirects, also those of pages, until the browser is sent to another origin or stays on a page. */
export async function follow(browser: Browser, url: string, address: string) {
  const { origin } = new URL(url)
  let answer: HttpResponse | undefined
  const steps: string[] = []
  for (let next = new URL(address, url); ;) {
    if (next.origin !== origin) return { left: next, answer, steps }
    if (steps.length > 20) throw new Error(`redirected too often: ${steps.join(' → ')}`)
    answer = await browser.open(next.pathname + next.search)
    steps.push(`${answer.status} ${next.pathname}`)
    const to = nextOf(answer)
    if (to === undefined) return { left: undefined, answer, steps }
    next = new URL(to, next)
  }
}

export function nextOf({ status, headers }: HttpResponse): string | undefined {
  if (status === 302 || status === 303) return String(headers['location'])
  return /^0; ?url=(.*)$/.exec(String(headers['refresh'] ?? ''))?.[1]
}

/** An authorization request as openid-client makes it. */
export async function authorizationRequest(config: openid.Configuration, parameters: Record<string, string> = {}) {
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

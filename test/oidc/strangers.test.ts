import { request as send } from 'node:http'

import * as openid from 'openid-client'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { artifactLimits } from '../../src/service/features/oidc/models.ts'
import { authorizationRequest, startProvider } from './start-provider.ts'
import type { StartedProvider } from './start-provider.ts'

let provider: StartedProvider
beforeAll(async () => {
  provider = await startProvider({ trustProxy: 1 })
})
afterAll(() => provider.close())

/** Where an address leads that a browser of this network opens. */
function open(address: string, network: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = send(address, { headers: { 'x-forwarded-for': network } }, (answer) => {
      answer.resume().on('end', () => resolve(answer.headers.location ?? ''))
    })
    sent.on('error', reject).end()
  })
}

describe('strangers', () => {
  it('strangers at the provider in one network cannot keep others from signing in to a client', async () => {
    const config = await provider.configure(provider.signIn)
    const { request } = await authorizationRequest()
    const address = openid.buildAuthorizationUrl(config, request).href
    for (let count = 0; count < artifactLimits.ofClient.ofNetwork; count += 1) await open(address, '192.0.2.1')

    const refused = await open(address, '192.0.2.1')
    const elsewhere = await open(address, '192.0.2.2')
    const pushed = await openid.buildAuthorizationUrlWithPAR(config, request)

    expect(refused).toContain('error=temporarily_unavailable')
    expect(elsewhere).toContain('/oidc/interaction/')
    expect(pushed.searchParams.get('request_uri')).toEqual(expect.any(String))
  })

  it('strangers at the provider are limited where they name domains that do not exist, and people on their pages are not', async () => {
    let wait = 0
    const limited = await startProvider({}, { admit: () => Promise.resolve(wait) })
    onTestFinished(() => limited.close())
    const status = async (path: string) => (await limited.browser().get(path)).status
    const kinds = ['external', 'sign-in', 'entra']
    for (const kind of kinds) await status(limited.pages(kind))
    wait = 1

    const known = await Promise.all(kinds.map((kind) => status(limited.pages(kind))))
    const unknown = await Promise.all(kinds.map((kind) => status(`/oidc/${kind}/${'0'.repeat(40)}/x`)))

    expect([known, unknown]).toEqual([Array(3).fill(401), Array(3).fill(429)])
  })

  it.each(['interaction/%ff', 'assets/%ff', 'sign-in/%ff/x'])(
    'strangers at the provider with an address that cannot be decoded are not in its log of errors: %s',
    async (path) => {
      const { status } = await fetch(`${provider.url}/oidc/${path}`)

      expect(status).toBe(400)
      expect(provider.trouble).toEqual([])
    },
  )
})

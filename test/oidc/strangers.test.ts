import { request as send } from 'node:http'

import * as openid from 'openid-client'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'

import { ApiProblem } from '../../src/service/engine/base/problem.ts'
import { slowHashes } from '../../src/service/engine/base/slow-hashes.ts'
import { typedCodeLimits } from '../../src/service/features/bypass-codes/typed-code.ts'
import { organizationOfDomain } from '../../src/service/features/domains/statements.ts'
import { artifactLimits } from '../../src/service/features/oidc/models.ts'
import { unlockUser } from '../../src/service/features/people/unlock.ts'
import { openedFor } from '../../src/service/opened-for.ts'
import { inFullRun } from '../support/full-run.ts'
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
  inFullRun('strangers at the provider in one network cannot keep others from signing in to a client', async () => {
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

  it('strangers at the provider who try codes in the name of a user cannot keep that user elsewhere from using one', async () => {
    const { id: userId } = await provider.addUser('una')
    const { code = '' } = await provider.api.bypassCodes.create(userId, { usesAllowed: 1, expirationTime: 30 })
    const isRight = (address: string, typed = code) => provider.state.hasTypedCode({ userId, code: typed, address })
    const wrong = '123456789'
    const spend = async (address: string) => {
      await Promise.all(Array.from({ length: typedCodeLimits.ofNetwork.limit }, () => isRight(address, wrong)))
    }
    await spend('192.0.2.1')
    const there = await isRight('192.0.2.1')
    const elsewhere = await isRight('192.0.2.2')

    const networks = typedCodeLimits.total.limit / typedCodeLimits.ofNetwork.limit
    for (let network = 0; network < networks; network += 1) await spend(`198.51.100.${network}`)
    const spent = await isRight('192.0.2.2')
    const { ctx } = (await openedFor(provider.service)!()).service
    const organizationId = await organizationOfDomain(ctx.store.db, provider.domainId)
    await unlockUser(ctx, { organizationId, userId, domainIds: [provider.domainId] })

    expect([there, elsewhere, spent]).toEqual([false, true, false])
    expect(await isRight('192.0.2.1')).toBe(true)
    expect(await isRight('192.0.2.2')).toBe(true)
  })

  it('strangers at the provider use up no tries of a user with what cannot be a recovery code', async () => {
    const { id: userId } = await provider.addUser('uta')
    const { code = '' } = await provider.api.bypassCodes.create(userId, { usesAllowed: 1, expirationTime: 30 })
    const isRight = (typed: string) => provider.state.hasTypedCode({ userId, code: typed, address: '192.0.2.1' })
    for (let count = 0; count < typedCodeLimits.ofNetwork.limit; count += 1) await isRight('123456')

    expect(await isRight(code)).toBe(true)
  })

  inFullRun('strangers at the provider use up no tries of a user while too many codes wait to be checked', async () => {
    const once = await startProvider({}, {}, {}, { bypassCodes: 'once' })
    onTestFinished(() => once.close())
    const { id: userId } = await once.addUser('uwe')
    const { code = '' } = await once.api.bypassCodes.create(userId, { usesAllowed: 1, expirationTime: 30 })
    const isRight = (typed: string) => once.state.hasTypedCode({ userId, code: typed, address: '192.0.2.1' })
    vi.spyOn(slowHashes, 'requireRoom').mockImplementation(() => {
      throw new ApiProblem('api.error.unavailable')
    })
    const tries = Array.from({ length: typedCodeLimits.ofNetwork.limit }, () => isRight('123456789'))
    const refused = await Promise.allSettled(tries)
    vi.restoreAllMocks()

    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set(['rejected']))
    expect(await isRight(code)).toBe(true)
  })

  inFullRun(
    'strangers at the provider are limited where they name domains that do not exist, and people on their pages are not',
    async () => {
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
    },
  )

  inFullRun.each(['interaction/%ff', 'assets/%ff', 'sign-in/%ff/x'])(
    'strangers at the provider with an address that cannot be decoded are not in its log of errors: %s',
    async (path) => {
      const { status } = await fetch(`${provider.url}/oidc/${path}`)

      expect(status).toBe(400)
      expect(provider.trouble).toEqual([])
    },
  )
})

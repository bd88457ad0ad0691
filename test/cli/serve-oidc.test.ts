import { createService } from 'second-factor/service'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { openOidc } from '../../src/cli/serve/oidc.ts'
import type { Service } from '../../src/service/service.ts'
import { inFullRun } from '../support/full-run.ts'
import { listen } from '../support/listen.ts'

const logger = { info() {}, warn() {}, error() {} }
const settings = { oidc: true, port: 8787, secure: false }

let service: Service
beforeEach(async () => {
  service = await createService({ database: ':memory:', logger })
})
afterEach(async () => {
  vi.unstubAllEnvs()
  vi.doUnmock('oidc-provider')
  await service.close()
})

describe('second-factor serve --oidc', () => {
  inFullRun(
    'second-factor serve --oidc serves the provider in front of the service, which keeps its own addresses',
    async () => {
      const provider = (await openOidc(service, { ...settings, oidcIssuer: 'https://id.example' }, logger))!
      const url = await listen(provider.listener)

      const metadata = (await (await fetch(`${url}/.well-known/openid-configuration`)).json()) as Record<string, string>
      const health = await fetch(`${url}/healthz`)
      const unknown = await fetch(`${url}/oidc/unknown`)
      provider.close()

      expect(metadata).toMatchObject({
        issuer: 'https://id.example',
        authorization_endpoint: 'https://id.example/oidc/authorize',
      })
      expect([health.status, unknown.status]).toEqual([200, 404])
    },
  )

  it.each([
    [{ oidcIssuer: 'https://id.example' }, 'https://id.example'],
    [{ authenticatorUrl: 'https://mfa.example/authenticator' }, 'https://mfa.example'],
    [{}, 'http://localhost:8787'],
    [{ secure: true }, 'https://localhost:8787'],
  ])('second-factor serve --oidc with %o has the issuer %s', async (more, issuer) => {
    const provider = await openOidc(service, { ...settings, ...more }, logger)
    provider?.close()

    expect(provider?.issuer).toBe(issuer)
  })

  it('second-factor serve --oidc says what is missing', async () => {
    await expect(openOidc(service, { ...settings, port: 0 }, logger)).rejects.toThrow('--oidc needs --oidc-issuer')
    await expect(
      openOidc(service, { ...settings, oidc: false, oidcIssuer: 'https://id.example' }, logger),
    ).rejects.toThrow('--oidc-issuer needs --oidc')
    expect(await openOidc(service, { ...settings, oidc: false }, logger)).toBeUndefined()
    expect(await openOidc(service, { ...settings, oidc: false, oidcIssuer: '' }, logger)).toBeUndefined()
  })

  it.each([
    ['', false],
    ['false', false],
    ['true', true],
  ])('second-factor serve with MFA_OIDC=%s: the service is a provider: %s', async (value, isProvider) => {
    vi.stubEnv('MFA_OIDC', value)

    const provider = await openOidc(service, { ...settings, oidc: false }, logger)
    provider?.close()

    expect(provider !== undefined).toBe(isProvider)
  })

  it('second-factor serve refuses an MFA_OIDC that is neither true nor false', async () => {
    vi.stubEnv('MFA_OIDC', 'off')

    await expect(openOidc(service, { ...settings, oidc: false }, logger)).rejects.toThrow('expected true or false')
  })

  it('second-factor serve --oidc does not start without oidc-provider', async () => {
    vi.doMock('oidc-provider', () => {
      throw new Error('Cannot find package')
    })

    await expect(openOidc(service, settings, logger)).rejects.toThrow('OpenID Connect needs')
  })
})

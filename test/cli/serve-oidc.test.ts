import { createService } from 'second-factor/service'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { openOidc } from '../../src/cli/serve/oidc.ts'
import type { Service } from '../../src/service/service.ts'
import { listen } from '../support/listen.ts'

const logger = { info() {}, warn() {}, error() {} }
const settings = { oidc: true, port: 8787, secure: false }

let service: Service
beforeEach(async () => {
  service = await createService({ database: ':memory:', logger })
})
afterEach(() => service.close())

describe('second-factor serve --oidc', () => {
  it('second-factor serve --oidc serves the provider in front of the service, which keeps its own addresses', async () => {
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
  })

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
  })
})

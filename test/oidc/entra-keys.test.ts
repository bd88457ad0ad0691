import { describe, expect, it } from 'vitest'

import { createTenantKeys } from '../../src/oidc/entra-keys.ts'
import { inFullRun } from '../support/full-run.ts'
import { createEntraTenant } from './entra-tenant.ts'
import type { EntraTenant } from './entra-tenant.ts'

function start(tenant: EntraTenant = createEntraTenant()) {
  let now = 1_800_000_000
  const keys = createTenantKeys(tenant.fetch, () => now)
  return {
    tenant,
    find: (kid = tenant.key().jwk.kid) => keys.find({ tenant: tenant.tenant, cloud: 'global' }, kid),
    later: (seconds: number) => void (now += seconds),
  }
}

const unavailable = expect.objectContaining({ code: 'temporarily_unavailable' })

describe('the keys of a tenant of Microsoft Entra', () => {
  inFullRun(
    'the keys of a tenant of Microsoft Entra are read once for many sign-ins, also where these begin together',
    async () => {
      const { tenant, find } = start()

      const found = await Promise.all([find(), find(), find()])
      await find()

      expect(found.every((key) => key?.asymmetricKeyType === 'rsa')).toBe(true)
      expect(tenant.requests).toHaveLength(2)
    },
  )

  it('the keys of a tenant of Microsoft Entra are read again for a new key, and not for each key that does not exist', async () => {
    const { tenant, find, later } = start()
    await find()
    tenant.rotate()

    const early = await find()
    later(300)
    const found = await find()
    for (let count = 0; count < 5; count++) await find('unknown')

    expect([early, found?.asymmetricKeyType]).toEqual([undefined, 'rsa'])
    expect(tenant.requests).toHaveLength(4)
  })

  it('the keys of a tenant of Microsoft Entra forget a key that was withdrawn after an hour', async () => {
    const { tenant, find, later } = start()
    const { kid } = tenant.key().jwk
    await find(kid)
    tenant.withdraw()

    later(3600)

    expect(await find(kid)).toBeUndefined()
  })

  inFullRun(
    'the keys of a tenant of Microsoft Entra count for a day where Microsoft does not answer, and not longer',
    async () => {
      const { tenant, find, later } = start()
      await find()
      tenant.online = false

      later(86_399)
      const key = await find()
      later(1)

      expect(key).toBeDefined()
      await expect(find()).rejects.toEqual(unavailable)
    },
  )

  it.each<[string, (tenant: EntraTenant) => Record<string, unknown>]>([
    [
      'metadata of another issuer',
      ({ metadata, keysAddress }) => ({ [metadata]: { issuer: 'https://other.example', jwks_uri: keysAddress } }),
    ],
    [
      'keys at another host',
      ({ metadata, issuer }) => ({ [metadata]: { issuer, jwks_uri: 'https://attacker.example/keys' } }),
    ],
    [
      'keys over plain http',
      ({ metadata, issuer, keysAddress }) => ({
        [metadata]: { issuer, jwks_uri: keysAddress.replace('https', 'http') },
      }),
    ],
    ['documents that have no end', ({ keysAddress }) => ({ [keysAddress]: { keys: [{ kid: 'x'.repeat(300_000) }] } })],
    ['something else than keys', ({ keysAddress }) => ({ [keysAddress]: { error: 'none' } })],
  ])('the keys of a tenant of Microsoft Entra are not taken from %s', async (_, replacedBy) => {
    const { tenant, find } = start()
    tenant.replaced = replacedBy(tenant)

    await expect(find()).rejects.toEqual(unavailable)
    expect(tenant.requests.every((address: string) => address.startsWith('https://login.microsoftonline.com/'))).toBe(
      true,
    )
  })

  inFullRun.each<[string, Record<string, unknown>]>([
    ['another issuer', { issuer: 'https://login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad/v2.0' }],
    ['encryption', { use: 'enc' }],
    ['another algorithm', { kty: 'EC' }],
  ])('the keys of a tenant of Microsoft Entra leave out a key for %s', async (_, more) => {
    const { tenant, find } = start()
    tenant.replaced = { [tenant.keysAddress]: { keys: [{ ...tenant.key().jwk, ...more }] } }

    expect(await find()).toBeUndefined()
  })

  inFullRun('the keys of a tenant of Microsoft Entra leave out a key that is too short', async () => {
    const { tenant, find } = start()
    const short = createEntraTenant({ modulusLength: 1024 })
    tenant.replaced = { [tenant.keysAddress]: { keys: [short.key().jwk] } }

    expect(await find(short.key().jwk.kid)).toBeUndefined()
  })
})

import { describe, expect, it } from 'vitest'

import { verifyHint } from '../../src/oidc/entra-hint.ts'
import { createTenantKeys } from '../../src/oidc/entra-keys.ts'
import { EntraSettings } from '../../src/admin-contract/oidc-entra.ts'
import { inFullRun } from '../support/full-run.ts'
import { createEntraTenant } from './entra-tenant.ts'
import type { HintOptions } from './entra-tenant.ts'

const now = Math.floor(Date.now() / 1000)

function verifyFor(options: HintOptions, settings: Partial<EntraSettings> = {}) {
  const tenant = createEntraTenant()
  const keys = createTenantKeys(tenant.fetch, () => now)
  const hint = tenant.hint({
    ...options,
    claims: { iat: now, preferred_username: 'ada@contoso.com', ...options.claims },
  })
  return verifyHint(hint, EntraSettings.parse({ ...tenant.settings, ...settings }), { keys, now })
}

describe('a hint of Microsoft Entra', () => {
  inFullRun.each([
    ['preferred_username', 'ada@contoso.com'],
    ['oid', '951ddb04-b16d-45f3-bbf7-b0fa18fa7aee'],
  ] as const)('names the user by %s', async (username, expected) => {
    expect(await verifyFor({}, { username })).toMatchObject({
      username: expected,
      sub: 'mBfcvuhSHkDWVgV72x2ruIYdSsPSvcj2R0qfc6mGEAA',
    })
  })

  inFullRun.each([-360, 60])(
    'a hint of Microsoft Entra counts if it was issued %d seconds from now, expired as it is',
    async (age) => {
      const verified = await verifyFor({ claims: { iat: now + age, exp: now + age - 1 } })

      expect(verified.username).toBe('ada@contoso.com')
    },
  )

  inFullRun.each([-361, 61])(
    'a hint of Microsoft Entra does not count if it was issued %d seconds from now, valid or not',
    async (age) => {
      const verified = verifyFor({ claims: { iat: now + age, exp: now + 600 } })

      await expect(verified).rejects.toThrow('was not issued in the last minutes')
    },
  )

  it.each(['RS512', 'PS256', 'HS256', 'none'])(
    'a hint of Microsoft Entra is refused where its header names another algorithm: %s',
    async (alg) => {
      await expect(verifyFor({ header: { alg } })).rejects.toThrow('id_token_hint is not signed by RS256')
    },
  )

  inFullRun.each(['', 'a.b', 'a.b.c.d', 'é.é.é'])(
    'a hint of Microsoft Entra is refused if it is no token: "%s"',
    async (token) => {
      const tenant = createEntraTenant()
      const keys = createTenantKeys(tenant.fetch, () => now)

      await expect(verifyHint(token, EntraSettings.parse(tenant.settings), { keys, now })).rejects.toMatchObject({
        code: 'invalid_request',
      })
    },
  )
})

import { describe, expect, it } from 'vitest'

import type { Factor } from '../../../../src/contract/factor.ts'
import { factorsForChange, mayChange } from '../../../../src/service/features/factors/rules.ts'
import type { OwnedFactors, Pass } from '../../../../src/service/features/factors/rules.ts'

const owned = (here: readonly Factor[], more: Partial<OwnedFactors> = {}): OwnedFactors => ({
  inApp: here,
  anywhere: here,
  everStrong: true,
  phishingResistant: 'off',
  ...more,
})
const never = { everStrong: false }

describe('factorsForChange()', () => {
  it.each([
    ['device', owned(['push', 'otp', 'bypass', 'email']), ['push', 'otp', 'bypass']],
    ['app', owned(['push', 'email']), ['push']],
    ['hardware', owned(['otp', 'email']), ['otp']],
    ['codes', owned(['bypass', 'email']), ['bypass']],
    ['device', owned(['email'], never), ['email']],
    ['codes', owned(['email'], never), ['email']],
    ['device', owned(['email']), []],
    ['app', owned(['email']), []],
    ['device', owned(['push', 'email'], never), ['push']],
    // Strong in another domain only: e-mail cannot add factors that also work there.
    ['device', owned(['email'], { anywhere: ['push', 'email'], ...never }), ['email']],
    ['app', owned(['email'], { anywhere: ['push', 'email'], ...never }), []],
    ['hardware', owned(['email'], { anywhere: ['otp', 'email'], ...never }), []],
    ['codes', owned(['email'], { anywhere: ['bypass', 'email'], ...never }), []],
    ['codes', owned([]), []],
  ] as const)(
    'factorsForChange() lets a change of %s by a user with %j be confirmed by %j',
    (changed, has, factors) => {
      expect(factorsForChange(changed, has)).toEqual(factors)
    },
  )
})

describe('mayChange()', () => {
  const pass: Pass = { purpose: 'change_devices', factor: 'push', factorId: 'd', settledAt: 1000, inForce: true }
  const has = owned(['push', 'email'])

  it.each([
    ['passed for it', {}, 1600, true],
    ['passed more than ten minutes ago', {}, 1601, false],
    ['passed for signing in', { purpose: 'sign_in' }, 1000, false],
    ['passed with a factor that was removed', { inForce: false }, 1000, false],
    ['passed by e-mail beside a strong factor', { factor: 'email' }, 1000, false],
    ['passed with an unknown factor', { factor: null }, 1000, false],
    ['passed with the last recovery code', { factor: 'bypass' }, 1000, true],
  ] as const)('mayChange() judges a user who %s', (_who, more, now, allowed) => {
    expect(mayChange('device', { ...pass, ...more }, has, now)).toBe(allowed)
  })
})

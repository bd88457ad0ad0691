import { describe, expect, it } from 'vitest'

import { isTriedForPasskey } from '../../../../src/service/features/factors/phishing-resistance.ts'

describe('isTriedForPasskey()', () => {
  it.each([
    ['passkey', 'sign_in', true],
    ['bypass', 'sign_in', false],
    ['bypass', 'change_devices', true],
    ['push', 'change_devices', false],
    ['otp', 'change_devices', false],
  ] as const)('isTriedForPasskey() returns for factor %s and purpose %s: %s', (factor, purpose, expected) => {
    expect(isTriedForPasskey(factor, purpose)).toBe(expected)
  })
})

import { describe, expect, it } from 'vitest'

import { countsUnder, needsPasskey, stricter } from '../../src/contract/phishing-resistance.ts'

describe('stricter()', () => {
  it.each([
    ['off', undefined, 'off'],
    [null, 'prefer', 'prefer'],
    ['off', 'require', 'require'],
    ['prefer', 'require', 'require'],
    ['require', 'prefer', 'require'],
    ['require', undefined, 'require'],
  ] as const)('stricter() of %s and %s is %s', (policy, otherPolicy, expected) => {
    expect(stricter(policy, otherPolicy)).toBe(expected)
  })
})

describe('needsPasskey()', () => {
  it.each([
    ['off', true, false],
    ['prefer', false, false],
    ['prefer', true, true],
    ['require', false, true],
  ] as const)('needsPasskey() under %s, for a user with a passkey (%s), returns %s', (policy, hasPasskey, expected) => {
    expect(needsPasskey(policy, hasPasskey)).toBe(expected)
  })
})

describe('countsUnder()', () => {
  it.each([
    ['off', 'push', null, true],
    ['prefer', 'push', null, false],
    ['prefer', 'push', 'require', true],
    ['require', 'bypass', 'prefer', false],
    ['require', 'passkey', null, true],
  ] as const)(
    'countsUnder() under %s, for an approval by %s under the policy %s, returns %s',
    (policy, factor, phishingResistant, expected) => {
      expect(countsUnder(policy, { factor, phishingResistant })).toBe(expected)
    },
  )
})

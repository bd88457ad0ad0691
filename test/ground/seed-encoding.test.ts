import { describe, expect, it } from 'vitest'

import { hexSeed } from '../../src/ground/seed-encoding.ts'

describe('hexSeed()', () => {
  it.each([
    ['hex', '3132 3334-35', '3132333435'],
    ['hex', '0x3132', '3132'],
    ['base32', 'gezd gnbv', '3132333435'],
    ['base32', 'GEZA====', '3132'],
  ] as const)('hexSeed() reads %s: %s', (encoding, text, seed) => {
    expect(hexSeed(text, encoding)).toBe(seed)
  })

  it.each(['hex', 'base32'] as const)('hexSeed() reads no text that is much longer than a seed (%s)', (encoding) => {
    expect(hexSeed('22'.repeat(256), encoding)).toBeDefined()
    expect(hexSeed('22'.repeat(260), encoding)).toBeUndefined()
  })
})

import { describe, expect, it } from 'vitest'

import { pooledRandom } from '../../../../src/ground/pooled-random.ts'

describe('random bytes', () => {
  it.each([0, 1, 20, 4096, 5000])('pooledRandom() returns as many bytes as asked for: %d', (size) => {
    expect(pooledRandom(size)).toHaveLength(size)
  })

  it('pooledRandom() returns no bytes twice, and a later call does not change them', () => {
    const taken = Array.from({ length: 1_000 }, () => pooledRandom(16))
    const before = taken.map((bytes) => Buffer.from(bytes).toString('hex'))

    for (let index = 0; index < 1_000; index++) pooledRandom(16).fill(0)

    expect(taken.map((bytes) => Buffer.from(bytes).toString('hex'))).toEqual(before)
    expect(new Set(before)).toHaveLength(1_000)
  })
})

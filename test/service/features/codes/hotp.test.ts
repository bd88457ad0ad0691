import { createHmac } from 'node:crypto'

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { hotpOf } from '../../../../src/service/features/codes/hotp.ts'

/** RFC 4226 section 5.3, by Node's HMAC. */
function hotpByNode(seed: Buffer, counter: number, digits: number): number {
  const message = Buffer.alloc(8)
  message.writeBigUInt64BE(BigInt(counter))
  const hash = createHmac('sha1', seed).update(message).digest()
  return (hash.readUInt32BE((hash.at(-1) ?? 0) & 0xf) & 0x7fffffff) % 10 ** digits
}

const seeds = fc.uint8Array({ minLength: 0, maxLength: 64 }).map((bytes) => Buffer.from(bytes))
const counters = fc.oneof(fc.nat(), fc.maxSafeNat(), fc.constantFrom(0, 2 ** 31, 2 ** 32 - 1, 2 ** 32))

describe('the HMAC of a code', () => {
  it('the HMAC of a code is the one of node:crypto for every seed and counter', () => {
    fc.assert(
      fc.property(seeds, counters, fc.constantFrom(6, 8), (seed, counter, digits) => {
        expect(hotpOf(seed, digits)(counter)).toBe(hotpByNode(seed, counter, digits))
      }),
      { numRuns: 2_000 },
    )
  })

  it('the HMAC of a code does not depend on the ones computed between, with other seeds', () => {
    const [first, second] = [Buffer.alloc(20, 1), Buffer.alloc(64, 255)]
    const [codeOfFirst, codeOfSecond] = [hotpOf(first, 8), hotpOf(second, 6)]

    for (const counter of [0, 1, 57_000_000]) {
      expect(codeOfFirst(counter)).toBe(hotpByNode(first, counter, 8))
      expect(codeOfSecond(counter)).toBe(hotpByNode(second, counter, 6))
    }
  })

  it('the HMAC of a code takes no seed of more than 64 bytes, which HMAC would hash first', () => {
    expect(() => hotpOf(Buffer.alloc(65), 6)).toThrow('seed: at most 64 bytes, got 65')
  })
})

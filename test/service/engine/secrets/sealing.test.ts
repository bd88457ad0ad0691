import { createHash } from 'node:crypto'

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { formatKey, parseKeyRing } from '../../../../src/service/engine/secrets/key-ring.ts'
import { isCurrent, lookupWith, seal, unseal, UnsealError } from '../../../../src/service/engine/secrets/sealing.ts'
import { systemRandom } from '../../../../src/service/engine/base/random.ts'
import { anyText } from '../../../support/any-text.ts'

const first = formatKey('k1', Buffer.alloc(32, 1))
const second = formatKey('k2', Buffer.alloc(32, 2))
const ring = parseKeyRing(first)

const sealed = (secret: string, record = 'record') => seal(ring, systemRandom, secret, record)

describe('a sealed secret', () => {
  it('a sealed secret opens to its plaintext, whatever it contains', () => {
    fc.assert(
      fc.property(anyText(), fc.string(), (secret, record) => {
        const text = secret.toWellFormed()
        expect(unseal(ring, sealed(text, record), record)).toBe(text)
      }),
    )
  })

  it('a sealed value reveals nothing of the secret, and differs each time', () => {
    const a = sealed('123456789')
    const b = sealed('123456789')

    expect(a).not.toBe(b)
    expect(Buffer.from(a.split('.')[1] ?? '', 'base64url').toString('latin1')).not.toContain('123456789')
  })

  it('a sealed secret does not open in another record, so swapped rows are detected', () => {
    expect(() => unseal(ring, sealed('secret', 'user 1'), 'user 2')).toThrow(UnsealError)
  })

  it('a sealed secret does not open when any of its bits is changed', () => {
    const value = sealed('secret')
    const bytes = Buffer.from(value.split('.')[1] ?? '', 'base64url')
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes)
      changed[bit >> 3]! ^= 1 << (bit & 7)
      expect(() => unseal(ring, `k1.${changed.toString('base64url')}`, 'record')).toThrow(UnsealError)
    }
  })

  it('a sealed secret does not open when truncated, empty, or without its key', () => {
    const value = sealed('secret')

    for (const bad of ['', '.', 'k1', 'k1.', value.slice(0, 20), value.replace('k1.', 'k9.'), value.slice(3)]) {
      expect(() => unseal(ring, bad, 'record')).toThrow(UnsealError)
    }
  })

  it('a sealed secret still opens after another key becomes primary, and counts as sealed with an old key', () => {
    const value = sealed('secret')
    const rotated = parseKeyRing(`${second},${first}`)

    expect(unseal(rotated, value, 'record')).toBe('secret')
    expect(isCurrent(rotated, value)).toBe(false)
    expect(isCurrent(rotated, seal(rotated, systemRandom, 'secret', 'record'))).toBe(true)
    expect(() => unseal(parseKeyRing(second), value, 'record')).toThrow(UnsealError)
  })
})

describe('a lookup', () => {
  it('a lookup is the same for the same secret, differs under another key, and is not a plain hash', () => {
    const [a, b] = parseKeyRing(`${first},${second}`).keys

    expect(lookupWith(a!, 'secret')).toBe(lookupWith(a!, 'secret'))
    expect(lookupWith(a!, 'secret')).not.toBe(lookupWith(b!, 'secret'))
    expect(lookupWith(a!, 'secret')).not.toBe(lookupWith(a!, 'other'))
    expect(lookupWith(a!, 'secret')).not.toContain(createHash('sha256').update('secret').digest('base64url'))
  })
})

import { isIP } from 'node:net'

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { parseIpAddress } from '../../src/contract/ip-address.ts'
import { attributeLimits } from '../../src/contract/sessions.ts'
import { stripText, truncateText } from '../../src/contract/text.ts'
import { fitAttributes } from '../../src/service/features/sessions/attributes.ts'
import { networkOf } from '../../src/service/engine/base/network.ts'
import { anyText } from '../support/any-text.ts'
import { inFullRun } from '../support/full-run.ts'

const address = fc.oneof(fc.ipV4(), fc.ipV6())
const text = fc.oneof(fc.string(), anyText(), fc.string({ unit: 'grapheme' }))

/** How proxies and apps write an address. */
const written: readonly [string, (bare: string, port: number) => string][] = [
  ['bare', (bare) => bare],
  ['with blanks around it', (bare) => ` ${bare}\t`],
  ['in brackets with a port', (bare, port) => (bare.includes(':') ? `[${bare}]:${port}` : `${bare}:${port}`)],
  ['in brackets', (bare) => (bare.includes(':') ? `[${bare}]` : bare)],
  ['with a zone', (bare) => (bare.includes(':') ? `${bare}%eth0` : bare)],
  ['as Forwarded has it', (bare, port) => (bare.includes(':') ? `for="[${bare}]:${port}"` : `for="${bare}:${port}"`)],
  ['at the end of a list', (bare) => `198.51.100.9, unknown,${bare}`],
]

describe('an address as a caller wrote it', () => {
  it.each(written)('parseIpAddress() reads an address %s', (_how, write) => {
    fc.assert(
      fc.property(address, fc.nat(65_535), (bare, port) => {
        expect(parseIpAddress(write(bare, port))).toBe(parseIpAddress(bare))
        expect(isIP(parseIpAddress(bare) ?? '')).not.toBe(0)
      }),
    )
  })

  it('parseIpAddress() returns an address that parses to itself, or nothing', () => {
    const parts = fc.array(fc.constantFrom('1', '255', '.', ':', '::', '[', ']', '%', ',', '"', 'ffff', 'for=', ' '))
    fc.assert(
      fc.property(
        fc.oneof(
          text,
          parts.map((piece) => piece.join('')),
        ),
        (value) => {
          const read = parseIpAddress(value)
          if (read === undefined) return
          expect(isIP(read)).not.toBe(0)
          expect(parseIpAddress(read)).toBe(read)
        },
      ),
      { numRuns: 1_000 },
    )
  })

  it.each([
    'unknown',
    '',
    '_hidden',
    '1.2.3',
    '1.2.3.4.5',
    '256.1.1.1',
    '192.0.2.7, unknown',
    '[192.0.2.7',
    'localhost',
  ])('parseIpAddress() finds no address in %j', (value) => {
    expect(parseIpAddress(value)).toBeUndefined()
  })

  it('parseIpAddress() reads the IPv6-mapped forms of an IPv4 address as the same address', () => {
    expect([parseIpAddress('::ffff:192.0.2.7'), parseIpAddress('[::FFFF:c000:0207]:443')]).toEqual([
      '192.0.2.7',
      '192.0.2.7',
    ])
  })

  it('an address counts for one network however it is written', () => {
    fc.assert(
      fc.property(address, fc.nat(65_535), fc.constantFrom(...written), (bare, port, [, write]) => {
        expect(networkOf(write(bare, port))).toBe(networkOf(bare))
      }),
    )
  })

  it('everything that is not an address counts for one network', () => {
    fc.assert(
      fc.property(text, (value) => {
        fc.pre(parseIpAddress(value) === undefined)
        expect(networkOf(value)).toBe(networkOf(undefined))
      }),
    )
  })
})

describe('text that is too long', () => {
  const maximum = 12

  inFullRun('text that is too long is shortened to its limit with an ellipsis at the end', () => {
    fc.assert(
      fc.property(text, (value) => {
        const shortened = truncateText(stripText(value), maximum)
        expect(Array.from(shortened).length).toBeLessThanOrEqual(maximum)
        expect(shortened.isWellFormed()).toBe(true)
        const whole = Array.from(stripText(value)).length <= maximum
        expect(whole ? shortened : `${shortened.at(-1)}`).toBe(whole ? stripText(value) : '…')
        expect(stripText(value).startsWith(whole ? shortened : shortened.slice(0, -1))).toBe(true)
      }),
      { numRuns: 1_000 },
    )
  })

  it.each([
    ['a family of emoji', `${'a'.repeat(9)}👩‍👩‍👧‍👦 and more`, `${'a'.repeat(9)}…`],
    ['a flag', `${'a'.repeat(10)}🇩🇪 and more`, `${'a'.repeat(10)}…`],
    ['a letter and its accent', `${'a'.repeat(10)}e\u0301 and more`, `${'a'.repeat(10)}…`],
    ['a surrogate pair', `${'a'.repeat(10)}😀😀😀`, `${'a'.repeat(10)}😀…`],
    ['a letter with accents without end', `e${'\u0301'.repeat(10_000)}`, `e${'\u0301'.repeat(10)}…`],
  ])('text that is too long is not cut inside %s, unless nothing would be left', (_what, value, shortened) => {
    expect(truncateText(value, maximum)).toBe(shortened)
  })
})

describe('attributes', () => {
  const attribute = fc.record({
    key: fc.string({ unit: 'grapheme', maxLength: 90 }),
    value: fc.string({ maxLength: 400 }),
  })

  it('attributes fit a device, and the last one counts those left out', () => {
    fc.assert(
      fc.property(fc.array(attribute, { maxLength: 40 }), (sentAttributes) => {
        const { attributes, leftOut } = fitAttributes(sentAttributes)
        expect(attributes.length).toBe(Math.min(sentAttributes.length, attributeLimits.count))
        expect(leftOut).toBe(
          sentAttributes.length > attributeLimits.count ? sentAttributes.length - attributeLimits.count + 1 : 0,
        )
        expect(attributes.filter(({ key }) => key === '…')).toEqual(
          leftOut > 0 ? [{ key: '…', value: `+${leftOut}` }] : [],
        )
        for (const { key, value } of attributes) {
          expect(Array.from(key).length).toBeLessThanOrEqual(attributeLimits.key)
          expect(Array.from(value).length).toBeLessThanOrEqual(attributeLimits.value)
        }
      }),
    )
  })
})

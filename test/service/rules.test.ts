import { describe, expect, it } from 'vitest'

import { activationCodeAlphabet } from '../../src/contract/tokens.ts'
import { parseQuery } from '../../src/service/engine/http/query-string.ts'
import { newActivationCode } from '../../src/service/features/devices/activation-code.ts'
import { newMatchingNumber } from '../../src/service/features/sessions/rules.ts'
import { networkOf } from '../../src/service/engine/base/network.ts'
import { newIdOfTime, randomBelow, systemRandom } from '../../src/service/engine/base/random.ts'

/** Returns every byte in turn. */
function everyByte() {
  let next = 0
  return () => Uint8Array.of(next++ % 256)
}

describe('a random choice', () => {
  it.each([2, 31, 62, 90, 256])('a random choice of %i takes each value equally often', (bound) => {
    const random = everyByte()
    const counts = Array.from({ length: bound }, () => 0)
    const each = Math.floor(256 / bound)

    // Long enough to use every byte twice.
    for (let round = 0; round < 2 * each * bound; round += 1) counts[randomBelow(random, bound)]! += 1

    expect(new Set(counts)).toEqual(new Set([2 * each]))
  })
})

describe('an id of a time', () => {
  const idsAt = (now: number) => Array.from({ length: 100 }, () => newIdOfTime(systemRandom, now))

  it('a time-based id has 40 hexadecimal characters and sorts after those of earlier seconds', () => {
    const now = Date.UTC(2026, 0, 1) / 1000
    const [earlier, later] = [idsAt(now), idsAt(now + 1)]

    expect([...earlier, ...later].every((id) => /^[0-9a-f]{40}$/.test(id))).toBe(true)
    expect(earlier.every((id) => later.every((other) => id < other))).toBe(true)
  })

  it('a time-based id has 128 random bits besides the time', () => {
    const rest = idsAt(0).map((id) => [...Buffer.from(id, 'hex')].slice(4))

    expect(new Set(rest.map(String)).size).toBe(100)
    expect(rest.reduce((all, value) => all.map((byte, index) => byte | value[index]!))).toEqual(Array(16).fill(0xff))
  })
})

describe('an activation code', () => {
  it('an activation code has ten characters, and uses its whole alphabet', () => {
    const codes = Array.from({ length: 500 }, () => newActivationCode(systemRandom))

    expect(codes.every((code) => /^[a-hj-km-np-z2-9]{10}$/.test(code))).toBe(true)
    expect(new Set(codes.join(''))).toEqual(new Set(activationCodeAlphabet))
  })
})

describe('a matching number', () => {
  it('a matching number is between 10 and 99', () => {
    const random = everyByte()

    const numbers = Array.from({ length: 90 }, () => newMatchingNumber(random, new Set()))

    expect(new Set(numbers)).toEqual(new Set(Array.from({ length: 90 }, (_, index) => String(index + 10))))
  })

  it('a matching number is the last free one, and undefined when none is left', () => {
    const all = new Set(Array.from({ length: 90 }, (_, index) => String(index + 10)))
    const takenNumbers = new Set([...all].filter((number) => number !== '47'))

    expect(newMatchingNumber(systemRandom, takenNumbers)).toBe('47')
    expect(newMatchingNumber(systemRandom, all)).toBeUndefined()
  })
})

describe('the network of an address', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0DB8:0001:0002::6', '2001:db8:1:2::/64'],
    ['2001:db8::6', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['64:ff9b::192.0.2.7', '192.0.2.7'],
    ['64:ff9b::c000:207', '192.0.2.7'],
    ['64:ff9b:1::192.0.2.7', '64:ff9b:1:0::/64'],
    ['2002:c000:207:1::1', '192.0.2.7'],
    ['2002:c000:207:ffff::1', '192.0.2.7'],
    [undefined, 'unknown'],
  ])('the network of the address %s is %s', (address, network) => {
    expect(networkOf(address)).toBe(network)
  })
})

describe('a query', () => {
  it.each([
    ['/users', {}],
    ['/users?', {}],
    ['/users?username=a+b%20c', { username: 'a+b c' }],
    ['/users?a=1&b&c=&a=2', { a: '1', b: '', c: '' }],
    ['/users?a=b=c?d', { a: 'b=c?d' }],
    ['/users?__proto__=x', { ['__proto__']: 'x' }],
  ])('the query of %s is parsed as %j', (url, query) => {
    expect(parseQuery(url)).toEqual(query)
  })
})

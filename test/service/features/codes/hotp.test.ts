import * as fc from 'fast-check'
import { HOTP, Secret } from 'otpauth'
import { describe, expect, it } from 'vitest'

import { CodeAlgorithm } from '../../../../src/contract/hardware.ts'
import { judgeCounter, resynchronizedCounter } from '../../../../src/service/features/codes/hotp.ts'
import type { CounterSource } from '../../../../src/service/features/codes/hotp.ts'
import { codeAt } from '../../../../src/service/features/codes/totp.ts'
import { describeInFullRun } from '../../../support/full-run.ts'

/** "12345678901234567890", the secret of RFC 4226 appendix D. */
const seed = '3132333435363738393031323334353637383930'

const fresh: CounterSource = { seed, algorithm: 'SHA1', digits: 6, counter: 0, seenCounter: null, seenAt: null }
const now = 1_800_000_000

/** Judges a code as a sign-in does: by the nearest counters, then by the others. */
function judge(source: CounterSource, code: string, at = now) {
  const near = judgeCounter('near', source, code, at)
  return near.outcome === 'wrong' ? judgeCounter('far', source, code, at) : near
}

/** Judges the code of a counter, where the next one is 1000. */
const judgeAt = (counter: number, source: Partial<CounterSource> = {}, at = now) => {
  const whole = { ...fresh, counter: 1000, ...source }
  return judge(whole, codeAt(whole, counter), at)
}

describe('a counter-based code', () => {
  // RFC 4226 appendix D.
  it.each([
    [0, '755224'],
    [1, '287082'],
    [2, '359152'],
    [3, '969429'],
    [4, '338314'],
    [5, '254676'],
    [6, '287922'],
    [7, '162583'],
    [8, '399871'],
    [9, '520489'],
  ])('the code of counter %i is %s, as in RFC 4226, and is accepted by its counter', (counter, code) => {
    expect(judge({ ...fresh, counter }, code)).toEqual({ outcome: 'accepted', next: counter + 1 })
  })

  it.each([
    [999, 'wrong'],
    [1000, 'accepted'],
    [1009, 'accepted'],
    [1010, 'seen'],
    [1020, 'seen'],
    [1021, 'wrong'],
  ])('a counter-based code of counter %i is %s where 1000 is next', (counter, outcome) => {
    expect(judgeAt(counter).outcome).toBe(outcome)
  })

  it('a counter-based code is accepted after the one before it was seen, and no other', () => {
    const seen = { seenCounter: 1015, seenAt: now - 300 }

    expect(judgeAt(1016, seen)).toEqual({ outcome: 'accepted', next: 1017 })
    expect([1014, 1015, 1017].map((counter) => judgeAt(counter, seen).outcome)).toEqual(['seen', 'seen', 'seen'])
  })

  it('a counter-based code is accepted for five minutes after the one before it was seen, and no longer', () => {
    const seen = (seenAt: number) => ({ seenCounter: 1015, seenAt })

    expect(judgeAt(1016, seen(now - 301)).outcome).toBe('seen')
    // A clock that was set back would otherwise make it count for years.
    expect(judgeAt(1016, seen(now + 86_400)).outcome).toBe('seen')
  })

  it.each(['', '75522', '7552244', '75522a', '７５５２２４', '000000'])(
    'a counter-based code is wrong when it is %j',
    (code) => {
      expect(judge(fresh, code)).toEqual({ outcome: 'wrong' })
    },
  )
})

const sources = fc.record({
  seed: fc.uint8Array({ minLength: 16, maxLength: 64 }).map((bytes) => Buffer.from(bytes).toString('hex')),
  algorithm: fc.constantFrom(...CodeAlgorithm.options),
  digits: fc.constantFrom(6 as const, 7 as const, 8 as const),
  counter: fc.oneof(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 0xffff_ffff })),
})

describeInFullRun('counter-based codes of another implementation', () => {
  const otherCode = ({
    seed: hex,
    ...parameters
  }: {
    seed: string
    algorithm: string
    digits: number
    counter: number
  }) => new HOTP({ ...parameters, secret: Secret.fromHex(hex) }).generate()

  it('counter-based codes of another implementation are accepted, each once', () => {
    fc.assert(
      fc.property(sources, (source) => {
        const whole = { ...source, seenCounter: null, seenAt: null }
        const code = otherCode(source)

        const verdict = judge(whole, code)

        expect(verdict).toEqual({ outcome: 'accepted', next: source.counter + 1 })
        expect(judge({ ...whole, counter: source.counter + 1 }, code)).not.toEqual(verdict)
      }),
    )
  })
})

describe('the resynchronization of a counter', () => {
  const after = (counter: number, codes: readonly number[]) =>
    resynchronizedCounter({ ...fresh, counter }, [codeAt(fresh, codes[0]!), codeAt(fresh, codes[1]!)])

  it('the resynchronization of a counter finds two codes that follow each other a thousand codes ahead, and no further', () => {
    expect([after(50, [50, 51]), after(50, [1049, 1050]), after(50, [1050, 1051])]).toEqual([52, 1051, undefined])
  })

  it('the resynchronization of a counter refuses codes that were used or do not follow each other', () => {
    const refused = [after(50, [49, 50]), after(50, [60, 62]), after(50, [61, 60]), after(50, [60, 60])]

    expect(refused).toEqual(Array(4).fill(undefined))
  })
})

import { describe, expect, it } from 'vitest'

import { systemRandom } from '../../../../src/service/engine/base/random.ts'
import { codeAt, judgeCode, newSeed, seedInBase32, stepAt } from '../../../../src/service/features/codes/totp.ts'
import type { CodeSource } from '../../../../src/service/features/codes/totp.ts'

/** "12345678901234567890", the secret of both RFCs. */
const seed = '3132333435363738393031323334353637383930'

const fresh: CodeSource = {
  seed,
  algorithm: 'SHA1',
  digits: 6,
  period: 30,
  lastStep: -1,
  drift: 0,
  seenStep: null,
  seenAt: null,
  resynchronizes: true,
}

/** The time at which step 1000 begins. */
const now = 30_000

/** Judges the code of a step during step 1000. */
const judge = (step: number, source: Partial<CodeSource> = {}, at = now) => {
  const whole = { ...fresh, ...source }
  return judgeCode(whole, codeAt(whole, step), at)
}

describe('the code of a step', () => {
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
  ])('the code of step %i is %s, as in RFC 4226', (step, code) => {
    expect(codeAt(fresh, step)).toBe(code)
  })

  // RFC 6238 appendix B, SHA-1.
  it.each([
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ])('the code at time %i is %s, as in RFC 6238', (time, code) => {
    expect(codeAt({ seed, digits: 8 }, stepAt(time, 30))).toBe(code)
    expect(judgeCode({ ...fresh, digits: 8 }, code, time)).toMatchObject({ outcome: 'accepted', drift: 0 })
  })

  // RFC 6238 appendix B, with the seeds of its erratum 2866: as long as the hash.
  it.each([
    [59, 'SHA256', '46119246'],
    [1_111_111_109, 'SHA256', '68084774'],
    [1_111_111_111, 'SHA256', '67062674'],
    [1_234_567_890, 'SHA256', '91819424'],
    [2_000_000_000, 'SHA256', '90698825'],
    [20_000_000_000, 'SHA256', '77737706'],
    [59, 'SHA512', '90693936'],
    [1_111_111_109, 'SHA512', '25091201'],
    [1_111_111_111, 'SHA512', '99943326'],
    [1_234_567_890, 'SHA512', '93441116'],
    [2_000_000_000, 'SHA512', '38618901'],
    [20_000_000_000, 'SHA512', '47863826'],
  ] as const)('the code at time %i with %s is %s, as in RFC 6238', (time, algorithm, code) => {
    const length = algorithm === 'SHA256' ? 32 : 64
    const source = {
      ...fresh,
      algorithm,
      digits: 8 as const,
      seed: '31323334353637383930'.repeat(7).slice(0, 2 * length),
    }

    expect(codeAt(source, stepAt(time, 30))).toBe(code)
    expect(judgeCode(source, code, time)).toMatchObject({ outcome: 'accepted', drift: 0 })
  })

  it('a code of seven digits is the end of that of eight', () => {
    expect(codeAt({ seed, digits: 7 }, stepAt(59, 30))).toBe('4287082')
  })
})

describe('a code', () => {
  it.each([
    [-11, 'wrong'],
    [-10, 'seen'],
    [-2, 'seen'],
    [-1, 'accepted'],
    [0, 'accepted'],
    [1, 'accepted'],
    [2, 'seen'],
    [10, 'seen'],
    [11, 'wrong'],
  ])('a code that is %i steps away is %s', (distance, outcome) => {
    expect(judge(1000 + distance).outcome).toBe(outcome)
  })

  it.each([15, 30, 60, 120])(
    'a code of a token of %i s works during its step and one step on either side',
    (period) => {
      const source = { ...fresh, period }
      const code = codeAt(source, 1000)
      const outcomeAt = (time: number) => judgeCode(source, code, time).outcome

      expect(outcomeAt(999 * period - 1)).toBe('seen')
      expect(outcomeAt(999 * period)).toBe('accepted')
      expect(outcomeAt(1002 * period - 1)).toBe('accepted')
      expect(outcomeAt(1002 * period)).toBe('seen')
    },
  )

  it('an accepted code sets the drift, around which the next one is searched', () => {
    expect(judge(999)).toEqual({ outcome: 'accepted', step: 999, drift: -1 })
    expect(judge(998, { drift: -1, lastStep: 900 })).toEqual({ outcome: 'accepted', step: 998, drift: -2 })
    expect(judge(1001, { drift: -1, lastStep: 900 }).outcome).toBe('seen')
  })

  it('an accepted code invalidates itself and all earlier ones', () => {
    expect(judge(1000, { lastStep: 1000 }).outcome).toBe('wrong')
    expect(judge(999, { lastStep: 1000 }).outcome).toBe('wrong')
    expect(judge(1001, { lastStep: 1000 }).outcome).toBe('accepted')
  })

  it.each(['', '28708', '2870822', '28708a', '２８７０８２', '000000'])('a code is wrong when it is %j', (code) => {
    expect(judgeCode(fresh, code, 59)).toEqual({ outcome: 'wrong' })
  })

  it('a code can be checked before the tenth step', () => {
    expect(judge(0, {}, 0)).toEqual({ outcome: 'accepted', step: 0, drift: 0 })
  })
})

describe('resynchronization', () => {
  const tokenState = { seenStep: 1005, seenAt: now }

  it('resynchronization accepts the code of the very next step and sets the drift', () => {
    expect(judge(1006, tokenState, now + 30)).toEqual({ outcome: 'accepted', step: 1006, drift: 5 })
  })

  it.each([1004, 1005, 1007])('resynchronization after step 1005 rejects the code of step %i', (step) => {
    expect(judge(step, tokenState, now + 30).outcome).toBe('seen')
  })

  it('resynchronization accepts the next code for three steps, and no longer', () => {
    expect(judge(1006, tokenState, now + 90).outcome).toBe('accepted')
    expect(judge(1006, tokenState, now + 91).outcome).toBe('seen')
  })

  it('resynchronization is limited to ten steps', () => {
    expect(judge(1011, { seenStep: 1010, seenAt: now - 30 }, now).outcome).toBe('wrong')
  })

  it('resynchronization does not accept a used code again', () => {
    expect(judge(1006, { ...tokenState, lastStep: 1006 }, now + 30).outcome).toBe('wrong')
  })

  it('resynchronization never applies to phones, whose codes work only within one step of the current time', () => {
    const phone = { resynchronizes: false, drift: -3 }
    const outcomes = [998, 999, 1000, 1001, 1002].map((step) => judge(step, phone).outcome)

    expect(outcomes).toEqual(['wrong', 'accepted', 'accepted', 'accepted', 'wrong'])
    expect(judge(1006, { ...tokenState, ...phone }, now + 30).outcome).toBe('wrong')
  })
})

describe('a new seed', () => {
  it('a new seed has 160 bits, and the same value in base32', () => {
    const freshSeed = newSeed(systemRandom)

    expect(freshSeed).toMatch(/^[0-9a-f]{40}$/)
    expect(seedInBase32(seed)).toBe('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ')
    expect(newSeed(systemRandom)).not.toBe(freshSeed)
  })
})

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { CodeAlgorithm } from '../../../../src/contract/hardware.ts'
import { codeAt, judgeCode, stepAt } from '../../../../src/service/features/codes/totp.ts'
import type { CodeSource } from '../../../../src/service/features/codes/totp.ts'
import { inFullRun } from '../../../support/full-run.ts'

const sources = fc.record({
  seed: fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => Buffer.from(bytes).toString('hex')),
  algorithm: fc.constantFrom(...CodeAlgorithm.options),
  digits: fc.constantFrom(6 as const, 7 as const, 8 as const),
  period: fc.integer({ min: 15, max: 120 }),
  drift: fc.integer({ min: -5, max: 5 }),
})
const times = fc.integer({ min: 1_000_000, max: 4_000_000_000 })

type Source = typeof sources extends fc.Arbitrary<infer T> ? T : never

const unused = (source: Source): CodeSource => ({
  ...source,
  lastStep: -1,
  seenStep: null,
  seenAt: null,
  resynchronizes: true,
})

/** Whether two accepted steps have the same code by chance, and cannot be told apart. */
const isAmbiguous = (source: Source, expected: number) => {
  const codes = Array.from({ length: 41 }, (_, at) => codeAt(source, expected - 20 + at))
  return new Set(codes).size < codes.length
}

describe('the window of time-based codes', () => {
  it('the window of time-based codes accepts one step on either side and recognizes ten', () => {
    fc.assert(
      fc.property(sources, times, fc.integer({ min: -20, max: 20 }), (source, now, off) => {
        const expected = stepAt(now, source.period) + source.drift
        fc.pre(!isAmbiguous(source, expected))

        const { outcome } = judgeCode(unused(source), codeAt(source, expected + off), now)

        expect(outcome).toBe(Math.abs(off) <= 1 ? 'accepted' : Math.abs(off) <= 10 ? 'seen' : 'wrong')
      }),
    )
  })

  it('the window of time-based codes accepts no step twice and no earlier step, in any order of codes', () => {
    fc.assert(
      fc.property(
        sources,
        times,
        fc.array(fc.integer({ min: -2, max: 2 }), { maxLength: 30 }),
        (source, start, offs) => {
          let tokenState = unused({ ...source, drift: 0 })
          const accepted: number[] = []
          for (const [at, off] of offs.entries()) {
            const now = start + at * 10
            const verdict = judgeCode(tokenState, codeAt(source, stepAt(now, source.period) + off), now)
            if (verdict.outcome === 'accepted') {
              accepted.push(verdict.step)
              tokenState = { ...tokenState, lastStep: verdict.step, drift: verdict.drift, seenStep: null, seenAt: null }
            }
          }
          expect(accepted).toEqual([...new Set(accepted)].toSorted((a, b) => a - b))
        },
      ),
    )
  })

  it('the window of time-based codes moves only for two consecutive codes', () => {
    fc.assert(
      fc.property(
        sources,
        times,
        fc.integer({ min: 2, max: 8 }),
        fc.integer({ min: -3, max: 3 }),
        (source, now, off, gap) => {
          const expected = stepAt(now, source.period) + source.drift
          fc.pre(!isAmbiguous(source, expected) && Math.abs(off + gap) > 1 && gap !== 0)
          const first = judgeCode(unused(source), codeAt(source, expected + off), now)
          expect(first).toEqual({ outcome: 'seen', step: expected + off })

          const tokenState = { ...unused(source), seenStep: expected + off, seenAt: now }
          const second = judgeCode(tokenState, codeAt(source, expected + off + gap), now)

          expect(second.outcome).toBe(gap === 1 ? 'accepted' : Math.abs(off + gap) <= 10 ? 'seen' : 'wrong')
        },
      ),
    )
  })

  inFullRun('the window of time-based codes accepts only codes of the source', () => {
    fc.assert(
      fc.property(sources, times, fc.oneof(fc.string(), fc.stringMatching(/^\d{4,9}$/)), (source, now, code) => {
        const expected = stepAt(now, source.period) + source.drift
        const good = [-1, 0, 1].map((off) => codeAt(source, expected + off))

        expect(judgeCode(unused(source), code, now).outcome === 'accepted').toBe(good.includes(code))
      }),
    )
  })
})

import { describe, expect, it } from 'vitest'

import { warmUp } from '../../src/service/warm-up.ts'
import { inFullRun } from '../support/full-run.ts'

describe('the warm-up', () => {
  it('the warm-up signs in with right codes, in production as well', async () => {
    const { NODE_ENV } = process.env
    process.env['NODE_ENV'] = 'production'
    try {
      await expect(warmUp(AbortSignal.timeout(5_000))).resolves.toBeUndefined()
    } finally {
      process.env['NODE_ENV'] = NODE_ENV
    }
  })

  inFullRun('the warm-up ends early when the service ends', async () => {
    const timeOf = async (signal: AbortSignal) => {
      const before = performance.now()
      await warmUp(signal)
      return performance.now() - before
    }
    const whole = await timeOf(new AbortController().signal)

    expect(await timeOf(AbortSignal.abort())).toBeLessThan(whole)
  })
})

import { describe, expect, it } from 'vitest'

import { createRateLimiter } from '../../../../src/service/engine/http/rate-limit.ts'
import { createTestClock } from '../../../../src/testing/clock.ts'

describe('the rate of requests', () => {
  it('the rate of requests is counted per second and caller, and the headers say how many are left', async () => {
    const clock = createTestClock()
    const limiter = createRateLimiter('key', 2, clock)

    expect(limiter.take('a')).toEqual({ 'RateLimit-Policy': '"key";q=2;w=1', RateLimit: '"key";r=1;t=1' })
    limiter.take('a')
    expect(() => limiter.take('a')).toThrow(
      expect.objectContaining({
        code: 'api.error.toomanyrequests',
        headers: expect.objectContaining({ 'Retry-After': '1', RateLimit: '"key";r=0;t=1' }),
      }),
    )
    expect(() => limiter.take('b')).not.toThrow(Error)
    await clock.advance(1)
    expect(() => limiter.take('a')).not.toThrow(Error)
  })
})

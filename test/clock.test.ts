import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { maxTimer, readRetryAfter, systemClock } from '../src/ground/clock.ts'

describe('systemClock', () => {
  // Replaces the platform's timers with ones that overflow in the same way.
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('systemClock waits longer than the longest timer of the platform', () => {
    const day = 86_400_000
    const called = vi.fn<() => void>()

    systemClock.after(60 * day, called)
    vi.advanceTimersByTime(60 * day - 1)
    const before = called.mock.calls.length
    vi.advanceTimersByTime(1)

    expect([before, called.mock.calls.length]).toEqual([0, 1])
  })

  it('systemClock cancels a long timer even after its first part has passed', () => {
    const called = vi.fn<() => void>()

    const cancel = systemClock.after(2 * maxTimer, called)
    vi.advanceTimersByTime(maxTimer + 1)
    cancel()
    vi.advanceTimersByTime(maxTimer)

    expect(called).not.toHaveBeenCalled()
    expect(vi.getTimerCount()).toBe(0)
  })
})

describe('readRetryAfter', () => {
  const now = 1_800_000_000
  const inAnHour = new Date((now + 3600) * 1000).toUTCString()

  it.each([
    ['0', 0],
    ['40', 40],
    // Locked until the end of the year 9999.
    ['251502300799', 251_502_300_799],
    [inAnHour, 3600],
    ['Sun, 06 Nov 1994 08:49:37 GMT', 0],
    ['Sunday, 06-Nov-94 08:49:37 GMT', 0],
    ['Sun Nov  6 08:49:37 1994', 0],
  ])('readRetryAfter() reads the seconds of %s', (header, seconds) => {
    expect(readRetryAfter(header, now)).toBe(seconds)
  })

  it.each([null, undefined, '', '-1', '1.5', '1e3', '1234567890123', '2030-01-01', 'soon', 'Sun, soon'])(
    'readRetryAfter() reads nothing from %s',
    (header) => {
      expect(readRetryAfter(header, now)).toBeUndefined()
    },
  )
})

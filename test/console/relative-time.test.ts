import { describe, expect, it } from 'vitest'

import { relativeTime } from '../../src/console/parts/relative-time.ts'

/** A time in the zone of this process, as the console has that of the person. */
const local = (...parts: [number, number, number, number?, number?]) => {
  const [year, month, ...rest] = parts
  return new Date(year, month - 1, ...rest).getTime() / 1000
}
const now = local(2026, 11, 30, 9)

describe('a time in the console', () => {
  it.each([
    ['a moment ago', now - 59, 'this minute'],
    ['ten minutes ago', now - 600, '10 minutes ago'],
    ['the evening before', local(2026, 11, 29, 18), '15 hours ago'],
    ['the morning before', local(2026, 11, 29, 8), 'yesterday'],
    ['47 hours ago', local(2026, 11, 28, 10), '2 days ago'],
    ['29 days ago', local(2026, 11, 1, 9, 30), '29 days ago'],
    ['30 days ago, on the last of the month before', local(2026, 10, 31, 8), 'last month'],
    ['eleven months ago', local(2025, 12, 1), '11 months ago'],
    ['a year ago', local(2025, 11, 30, 8), 'last year'],
    ['almost two years ago, in the year before the last', local(2024, 12, 15), '2 years ago'],
  ])('the console says when something was by its date: %s', (_what, at, words) => {
    expect(relativeTime(at, now, 'en')).toBe(words)
  })

  it('the console calls no time of the same month “this month”', () => {
    expect(relativeTime(local(2026, 8, 1, 8), local(2026, 8, 31, 9), 'en')).toBe('30 days ago')
  })

  it('the console says no such words for what is still to come', () => {
    expect(relativeTime(now + 61, now, 'en')).toBeUndefined()
  })
})

import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { relativeTime } from '../../src/console/words/relative-time.ts'

const at = (time: string) => Date.parse(time) / 1000
const told = (then: string, now: string, locale = 'en') => relativeTime(at(then), at(now), locale)

describe('a relative time', () => {
  const zone = process.env['TZ']
  beforeEach(() => {
    process.env['TZ'] = 'Europe/Berlin'
  })
  afterEach(() => {
    if (zone === undefined) delete process.env['TZ']
    else process.env['TZ'] = zone
  })

  it.each([
    ['2026-11-30T10:00:00', 'this minute'],
    ['2026-11-30T09:58:01', '1 minute ago'],
    ['2026-11-29T20:00:00', '14 hours ago'],
    ['2026-11-29T09:59:00', 'yesterday'],
    ['2026-11-28T10:01:00', '2 days ago'],
    ['2026-11-01T10:00:00', '29 days ago'],
    ['2026-10-31T10:00:00', 'last month'],
    ['2026-09-30T10:00:00', '2 months ago'],
    ['2025-12-01T10:00:00', '11 months ago'],
    ['2025-11-30T10:00:00', 'last year'],
    ['2024-12-31T10:00:00', '2 years ago'],
    ['2026-11-30T10:02:00', undefined],
  ])('%s is told on a Monday in November as the calendar says it: %s', (then, text) => {
    expect(told(then, '2026-11-30T10:00:00')).toBe(text)
  })

  it('the first of a month of 31 days is not "this month" on its last day', () => {
    expect(told('2026-01-01T10:00:00', '2026-01-31T10:00:00')).toBe('30 days ago')
  })

  it('a day of 25 hours is not "today" after 24 of them', () => {
    expect(told('2026-10-25T00:10:00', '2026-10-25T23:10:00')).toBe('24 hours ago')
  })

  it('the day before yesterday has its own word in German', () => {
    expect(told('2026-11-28T23:00:00', '2026-11-30T10:00:00', 'de')).toBe('vorgestern')
    expect(told('2026-11-27T11:00:00', '2026-11-30T10:00:00', 'de')).toBe('vor 3 Tagen')
  })
})

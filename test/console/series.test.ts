import { describe, expect, it } from 'vitest'

import { overviewDays } from '../../src/admin-contract/overview-lists.ts'
import { daysOf, outcomes } from '../../src/console/screens/overview/series.ts'

const day = 86_400
const today = 20_000 * day
const counted = (at: number) => ({ day: at, outcome: 'approved', factor: 'push', count: 7 }) as const

describe('the chart of sign-ins', () => {
  it.each([
    ['today', [today], today],
    ['the next day, where the service has begun it already', [today, today + day], today + day],
    ['today, although the clock of the service was a year ahead for a while', [today, today + 365 * day], today],
    ['today, although nobody has signed in yet', [today - day], today],
  ])('the chart of sign-ins ends with %s', (_what, counts, last) => {
    const days = daysOf(counts.map(counted), outcomes, today + 3_600)

    expect(days).toHaveLength(overviewDays)
    expect(days.at(-1)?.at).toBe(last)
    expect(days.reduce((sum, { total }) => sum + total, 0)).toBe(7 * counts.filter((at) => at <= last).length)
  })
})

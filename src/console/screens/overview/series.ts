import { overviewDays } from '../../../admin-contract/overview-lists.ts'
import type { SignInCount } from '../../../admin-contract/overview.ts'

const day = 24 * 60 * 60

/** The series that sign-ins are divided into. */
export interface Kind<Name extends string = string> {
  readonly name: Name
  readonly includes: (count: SignInCount) => boolean
}

const outcome = <Name extends SignInCount['outcome']>(name: Name): Kind<Name> => ({
  name,
  includes: (count) => count.outcome === name,
})

export const outcomes = [
  outcome('approved'),
  outcome('denied'),
  outcome('reported'),
  outcome('expired'),
  outcome('cancelled'),
] as const

type Factor = NonNullable<SignInCount['factor']>

const factor = (name: Factor): Kind<Factor> => ({
  name,
  includes: (count) => count.outcome === 'approved' && count.factor === name,
})

/** Each factor, in the order of the chart. */
const shown: Readonly<Record<Factor, true>> = { push: true, passkey: true, otp: true, email: true, bypass: true }

/** Divides only sign-ins that succeeded: failed ones may have tried no factor, or several. */
export const factors = (Object.keys(shown) as Factor[]).map(factor)

/** The sign-ins of one day. */
export interface Day {
  /** Unix time of its beginning, UTC. */
  readonly at: number
  /** The values in the order of the kinds. */
  readonly counts: readonly number[]
  readonly total: number
}

/**
 * Each day up to today, also those without sign-ins. The day of the service may be the next one already. Later days were counted while its
 * clock was ahead: the chart would otherwise end with them, and be empty until then.
 *
 * @param now Unix time, seconds.
 */
export function daysOf(counts: readonly SignInCount[], kinds: readonly Kind[], now: number): Day[] {
  const byDay = Map.groupBy(counts, (count) => count.day)
  const ourDay = now - (now % day)
  const today = byDay.has(ourDay + day) ? ourDay + day : ourDay
  return Array.from({ length: overviewDays }, (_, index) => {
    const at = today - (overviewDays - 1 - index) * day
    const sums = kinds.map((kind) => sum((byDay.get(at) ?? []).filter(kind.includes)))
    return { at, counts: sums, total: sums.reduce((total, each) => total + each, 0) }
  })
}

/** The beginning of the first of these days. @param now Unix time, seconds. */
export const firstDay = (now: number): number => now - (now % day) - (overviewDays - 1) * day

export const sum = (counts: readonly SignInCount[]): number => counts.reduce((total, { count }) => total + count, 0)

/** The lowest of 1, 2, 4, 6, 8, 10, 20 … that a scale up to a number can end with. At least 4, as people are whole. */
export function scaleEnd(max: number): number {
  const step = 10 ** Math.floor(Math.log10(Math.max(max, 1)))
  const end = [1, 2, 4, 6, 8, 10].map((times) => times * step).find((each) => each >= max) ?? max
  return Math.max(end, 4)
}

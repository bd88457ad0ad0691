import type { Measured, Pace } from './measuring/interleave.ts'
import type { Sample } from './measuring/load.ts'
import { median } from './spread.ts'

/** A value that each line of a table has. */
export interface Column {
  readonly key: string
  readonly title: string
  /** The unit of the figures in the chart, such as "a second". */
  readonly unit: string
}

/** One contender, with what each round measured. */
export interface Line {
  readonly name: string
  readonly ours?: boolean | undefined
  readonly values: Readonly<Record<string, readonly number[]>>
}

/** The target value of a figure. */
export interface Goal {
  readonly figure: string
  readonly value: number
  readonly reach: number
  /** Whether smaller values are better. */
  readonly atMost?: boolean
  readonly unit?: string
  /** The parts that the time or memory goes into, and the attempts to reduce it. */
  readonly rest?: string
}

export const isReached = ({ value, reach, atMost }: Goal): boolean => (atMost ? value <= reach : value >= reach)

export interface Findings {
  readonly lines: readonly Line[]
  /** The meaning of the figures, in sentences. */
  readonly findings: readonly string[]
  readonly goals: readonly Goal[]
}

export interface Run extends Pace {
  /** Whether rows that take minutes are measured as well. */
  readonly long: boolean
  /** An empty folder, which is removed at the end. */
  readonly folder: string
}

/** One comparison. */
export interface Row {
  readonly name: string
  readonly title: string
  /** The measured work, and the work that it is compared with. */
  readonly work: string
  readonly columns: readonly Column[]
  /** The column that the chart shows, and whether smaller values are better. */
  readonly chart: string
  readonly lowerIsBetter?: boolean
  measure(run: Run): Promise<Findings>
}

export const perSecond = { key: 'perSecond', title: 'a second', unit: 'a second' } as const
export const cpu = { key: 'cpu', title: 'CPU ms each', unit: 'ms' } as const
export const latency = { key: 'latency', title: 'latency ms', unit: 'ms' } as const

/** The columns `perSecond`, `cpu` and `latency`. */
export function lineOf({ name, ours, samples }: Measured): Line {
  const values = {
    perSecond: samples.map((sample) => sample.perSecond),
    cpu: samples.map((sample) => sample.cpu['contender'] ?? Number.NaN),
    latency: samples.map((sample) => sample.latency),
  }
  return { name, ours, values }
}

/** The median of the ratios of the rounds: what slows down a whole round does not count. */
export function ratio(
  numerator: Measured | undefined,
  to: Measured | undefined,
  value: (sample: Sample) => number,
): number {
  const pairs = (numerator?.samples ?? []).map((sample, round) => {
    const other = to?.samples[round]
    return other === undefined ? Number.NaN : value(sample) / value(other)
  })
  return median(pairs)
}

export const percent = (share: number): string => `${Math.round(share * 100)} %`

/** Three significant digits. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return '–'
  if (value >= 100) return Math.round(value).toLocaleString('en-US')
  return value
    .toPrecision(3)
    .replace(/(\.\d*?)0+$/, '$1')
    .replace(/\.$/, '')
}

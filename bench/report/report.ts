import type { Findings, Row } from '../row.ts'

export interface RowReport extends Findings {
  readonly row: Row
}

/** The machine and the conditions of the measurement. */
export interface Machine {
  /** ISO 8601. */
  readonly at: string
  readonly commit: string
  readonly node: string
  readonly processors: string
  /** The load over one minute, before the first and after the last row. */
  readonly load: readonly [start: number, end: number]
  readonly peers: ReadonlyMap<string, string>
  readonly rounds: number
  readonly seconds: number
}

/** Above this, other work on the machine falsifies the figures. */
export const maxLoad = 1.5

export function loadWarning({ load: [start] }: Pick<Machine, 'load'>): string | undefined {
  if (start <= maxLoad) return undefined
  return `Warning: the machine was busy with other work (load average ${start.toFixed(1)} at the start). On an idle machine the figures are better. Ratios are more reliable.`
}

import { table } from '../../scripts/markdown-table.ts'
import { figure } from '../row.ts'
import { median, percentile } from '../spread.ts'
import type { RowReport } from './report.ts'

/** The medians. */
export function shortTable(report: RowReport): string {
  return tableOf(report, (values) => figure(median(values)))
}

/** The medians, with the 10th and the 90th percentile where there are several rounds. */
export function fullTable(report: RowReport): string {
  return tableOf(report, (values) => {
    if (values.length < 2) return figure(median(values))
    const [low, high] = [figure(percentile(values, 0.1)), figure(percentile(values, 0.9))]
    return `${figure(median(values))} (${low} to ${high})`
  })
}

function tableOf({ row, lines }: RowReport, cell: (values: readonly number[]) => string): string {
  const header = ['', ...row.columns.map(({ title }) => title)]
  const body = lines.map(({ name, ours, values }) => [
    ours ? `**${name}**` : name,
    ...row.columns.map(({ key }) => (values[key] ? cell(values[key]) : '–')),
  ])
  return table([header, ...body]).join('\n')
}

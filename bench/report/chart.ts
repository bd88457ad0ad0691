import { figure } from '../row.ts'
import { median } from '../spread.ts'
import type { RowReport } from './report.ts'

const width = 760
const barHeight = 26
const step = 58
const top = 52
const valueSpace = 130
const margin = 16

/** A horizontal bar chart of the medians. It has its own background, so that it is readable on light and dark pages. */
export function chart({ row, lines }: RowReport): string {
  const column = row.columns.find(({ key }) => key === row.chart) ?? row.columns[0]
  const unit = column?.unit ?? ''
  const bars = lines.map(({ name, ours, values }) => ({ name, ours, value: median(values[row.chart] ?? []) }))
  const max = Math.max(...bars.map(({ value }) => value))
  const height = top + bars.length * step + 12
  const better = row.lowerIsBetter ? 'lower is better' : 'higher is better'
  const label = `${row.title}: ${bars.map(({ name, value }) => `${name} ${figure(value)} ${unit}`).join(', ')}`
  const body = bars.map(({ name, ours, value }, index) => {
    const y = top + index * step
    const length = Math.max(2, (value / max) * (width - 2 * margin - valueSpace))
    const kind = ours ? 'ours' : 'other'
    return `<text class="name ${kind}" x="${margin}" y="${y + 16}">${escape(name)}</text>
  <rect class="${kind}" x="${margin}" y="${y + 23}" width="${length.toFixed(1)}" height="${barHeight}" rx="3"/>
  <text class="value ${kind}" x="${(margin + length + 8).toFixed(1)}" y="${y + 42}">${figure(value)} ${escape(unit)}</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="${escape(label)}">
  <style>
    text { font: 16px system-ui, sans-serif; fill: #24292f }
    .title { font-weight: 600; font-size: 18px }
    .hint { fill: #57606a }
    text.ours { font-weight: 600 }
    rect.ours { fill: #1f6feb }
    rect.other { fill: #8c959f }
    .page { fill: #ffffff; stroke: #d0d7de }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3 }
      .hint { fill: #9198a1 }
      rect.ours { fill: #58a6ff }
      rect.other { fill: #6e7681 }
      .page { fill: #0d1117; stroke: #30363d }
    }
  </style>
  <rect class="page" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="8"/>
  <text class="title" x="${margin}" y="32">${escape(row.title)}</text>
  <text class="hint" x="${width - margin}" y="32" text-anchor="end">${escape(columnWords(column?.title ?? ''))}, ${better}</text>
  ${body.join('\n  ')}
</svg>
`
}

const columnWords = (title: string) => (title === 'a second' ? 'requests a second' : title)

const escape = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

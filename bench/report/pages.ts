import { readFileSync } from 'node:fs'

import { table } from '../../scripts/markdown-table.ts'
import { figure, isReached } from '../row.ts'
import { loadWarning } from './report.ts'
import type { Machine, RowReport } from './report.ts'
import { fullTable, shortTable } from './tables.ts'

/** `bench/results.md`: all figures. */
export function resultsPage(reports: readonly RowReport[], machine: Machine): string {
  const { node, processors, load, commit, at, peers, rounds, seconds } = machine
  const warning = loadWarning(machine)
  const facts = [
    `Measured on ${at.slice(0, 10)} at ${at.slice(11, 16)} UTC, commit ${commit}`,
    `Node.js ${node}, ${processors}`,
    `Load average ${load[0].toFixed(2)} at the start, ${load[1].toFixed(2)} at the end (the benchmark itself adds about 2)`,
    `${rounds} rounds of ${seconds} seconds for each contender, in alternating order`,
    `Peers: ${[...peers].map(([name, version]) => `${name} ${version}`).join(', ')}`,
  ]
  return [
    '# Results',
    '`npm run bench` writes this page. Each figure is the median of the rounds, with the 10th and 90th percentile in parentheses.',
    ...(warning === undefined ? [] : [`**${warning}**`]),
    facts.map((fact) => `- ${fact}`).join('\n'),
    '## Goals',
    ...goalsOf(reports),
    ...reports.flatMap((report) => [
      `## ${report.row.title}`,
      report.row.work,
      fullTable(report),
      report.findings.map((finding) => `- ${finding}`).join('\n'),
    ]),
  ].join('\n\n')
}

/** The goals with the figures of this run, and what is known about those that are missed. */
function goalsOf(reports: readonly RowReport[]): readonly string[] {
  const goals = reports.flatMap((report) => report.goals)
  const withUnit = (value: number, unit = '') => `${figure(value)} ${unit}`.trim()
  const rows = goals.map((goal) => [
    goal.figure,
    `${goal.atMost ? 'at most' : 'at least'} ${withUnit(goal.reach, goal.unit)}`,
    withUnit(goal.value, goal.unit),
    isReached(goal) ? 'reached' : 'missed',
  ])
  const missed = Map.groupBy(
    goals.filter((goal) => !isReached(goal) && goal.rest !== undefined),
    ({ rest }) => rest,
  )
  return [
    table([['', 'goal', 'this run', ''], ...rows]).join('\n'),
    ...(missed.size === 0 ? [] : ['What is known about the goals that were missed:']),
    [...missed].map(([rest, figures]) => `- **${figures.map((goal) => goal.figure).join('; ')}**: ${rest}`).join('\n'),
  ]
}

/** `docs/performance.md`: the template with charts, tables and findings in place of its comments. */
export function performancePage(reports: readonly RowReport[], machine: Machine): string {
  const template = readFileSync(new URL('performance.template.md', import.meta.url), 'utf8')
  const { processors, node, at, load } = machine
  const warning = loadWarning(machine)
  const where = `Measured in ${monthOf(at)} on ${processors}, with Node.js ${node}. The load average before the start was ${load[0].toFixed(1)}.`
  const machineText = warning === undefined ? where : `${where}\n\n**${warning}**`
  const left = reports.find(({ row }) => !template.includes(`<!-- row ${row.name} -->`))
  if (left) throw new Error(`performance.template.md has no place for "${left.row.name}"`)
  return template.replaceAll(/<!-- (machine|row [\w-]+) -->/g, (_comment, name: string) => {
    if (name === 'machine') return machineText
    const report = reports.find(({ row }) => row.name === name.slice('row '.length))
    if (!report) throw new Error(`performance.template.md names the unknown "${name}"`)
    return rowText(report)
  })
}

function rowText(report: RowReport): string {
  const { row, findings } = report
  const picture = `![${row.title}, as a bar chart of the table below](images/performance-${row.name}.svg)`
  return [row.work, picture, shortTable(report), findings.map((finding) => `- ${finding}`).join('\n')].join('\n\n')
}

const monthOf = (at: string) =>
  new Date(at).toLocaleDateString('en-US', { month: 'long', year: 'numeric', timeZone: 'UTC' })

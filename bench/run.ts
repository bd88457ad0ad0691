/**
 * `npm run bench`: this package and its peers on the same work, in turns. Writes bench/results.md, docs/performance.md and its
 * charts. `npm run bench -- --only guard` measures one row, and only prints it.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { root, run as runTool } from '../scripts/run.ts'
import { installPeers, peerVersions } from './install-peers.ts'
import { chart } from './report/chart.ts'
import { performancePage, resultsPage } from './report/pages.ts'
import { loadWarning } from './report/report.ts'
import type { Machine, RowReport } from './report/report.ts'
import { fullTable } from './report/tables.ts'
import type { Row } from './row.ts'
import { rows } from './rows.ts'

const { values: flags } = parseArgs({
  options: {
    only: { type: 'string' },
    long: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '3' },
  },
})
const [rounds, seconds] = [Number(flags.rounds), Number(flags.seconds)]
const chosenRows = flags.only === undefined ? rows : rows.filter(({ name }) => name === flags.only)
if (chosenRows.length === 0) {
  console.error(`--only: expected one of ${rows.map(({ name }) => name).join(', ')}, got ${flags.only}`)
  process.exit(1)
}
const loadAtStart = loadavg()[0] ?? 0
const warning = loadWarning({ load: [loadAtStart, 0] })
if (warning !== undefined) console.warn(warning)
installPeers()

const startTime = performance.now()
const reports: RowReport[] = []
for (const row of chosenRows) reports.push(await measure(row))
console.log(`\nTook ${((performance.now() - startTime) / 60_000).toFixed(1)} minutes.`)
if (flags.only === undefined) await write()
process.exit()

async function measure(row: Row): Promise<RowReport> {
  const folder = mkdtempSync(join(tmpdir(), 'second-factor-bench-'))
  try {
    const report = { row, ...(await row.measure({ rounds, seconds, long: flags.long, folder })) }
    console.log(`\n${row.title} (${row.name})\n\n${fullTable(report)}\n`)
    for (const finding of report.findings) console.log(`- ${finding}`)
    return report
  } finally {
    rmSync(folder, { recursive: true })
  }
}

async function write(): Promise<void> {
  const machine: Machine = {
    at: new Date().toISOString(),
    commit: execFileSync('git', ['rev-parse', '--short', 'HEAD'], { cwd: root, encoding: 'utf8' }).trim(),
    node: process.versions.node,
    processors: `${cpus().length} × ${cpus()[0]?.model.trim() ?? 'unknown processor'}`,
    load: [loadAtStart, loadavg()[0] ?? 0],
    peers: peerVersions(),
    rounds,
    seconds,
  }
  const pages = { 'bench/results.md': resultsPage, 'docs/performance.md': performancePage }
  for (const [file, page] of Object.entries(pages)) writeFileSync(join(root, file), `${page(reports, machine)}\n`)
  mkdirSync(join(root, 'docs/images'), { recursive: true })
  for (const report of reports) {
    writeFileSync(join(root, `docs/images/performance-${report.row.name}.svg`), chart(report))
  }
  await runTool('oxfmt/bin/oxfmt', Object.keys(pages))
  console.log('Wrote bench/results.md, docs/performance.md and the charts in docs/images.')
}

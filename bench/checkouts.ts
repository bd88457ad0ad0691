/**
 * `node bench/checkouts.ts [sqlite|postgres] [rounds] [checkout...]`: processor time of a code and of a complete push, and how many
 * one node does in a second. The checkouts take turns, each with its own database, with eight users at a time or
 * `AT_A_TIME`. Those after the first one are compared with it. Without a checkout, measures this one. With `PROFILE=folder`, writes
 * a CPU profile of each service.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

import { Client } from 'pg'

import { root } from '../scripts/run.ts'
import { startPostgres } from '../test/support/postgres.ts'
import type { ServiceGiven } from './contenders/prepare.ts'
import { startContender } from './measuring/contender.ts'
import { interleave } from './measuring/interleave.ts'
import { startLoad } from './measuring/load.ts'
import type { Counted, Sample } from './measuring/load.ts'
import { analyze, postmasterOf } from './measuring/postmaster.ts'
import { ratio } from './row.ts'
import { median } from './spread.ts'

const [engine = 'sqlite', rounds = '9', ...paths] = process.argv.slice(2)
if (engine !== 'sqlite' && engine !== 'postgres') throw new Error(`expected sqlite or postgres, got ${engine}`)
const checkouts = paths.map((path) => resolve(path))
if (checkouts.length === 0) checkouts.push(root)
const profile = process.env['PROFILE']
const atATime = Number(process.env['AT_A_TIME'] ?? 8)
const execArgv = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]

const nodes = []
for (const checkout of checkouts) nodes.push(await startNode(checkout))
const measured = await interleave(
  nodes.flatMap(({ entries }) => entries),
  { rounds: Number(rounds), seconds: 1 },
)
for (const [index, row] of measured.entries()) {
  const middle = (value: (sample: Sample) => number) => median(row.samples.map(value))
  const used = Object.keys(row.samples[0]?.cpu ?? {}).map((key) => {
    return `${middle(({ cpu }) => cpu[key] ?? Number.NaN).toFixed(3)} ms ${key}`
  })
  const speed = Math.round(middle(({ perSecond }) => perSecond))
  const first = measured[index % 2]
  const compared = index < 2 ? '' : `, ${ratio(row, first, ({ perSecond }) => perSecond).toFixed(3)} of the first`
  console.log(`${row.name}: ${used.join(', ')}, ${speed} a second${compared}`)
}
for (const node of nodes) await node.stop()
process.exit()

async function startNode(checkout: string) {
  const { address, counted, stop } = await (engine === 'postgres' ? startServer() : createFolder())
  const service = await startContender<ServiceGiven>('contenders/service.ts', [checkout, address], { execArgv })
  const codes = await startLoad('rest-code', service.given)
  const pushes = await startLoad('push', service.given)
  const all = { service: { pid: service.pid }, ...counted }
  const warmedUp = () => (engine === 'postgres' ? analyze(address) : Promise.resolve())
  return {
    entries: [
      { name: `${checkout} code`, load: codes, counted: all, atATime, warmedUp },
      { name: `${checkout} push`, load: pushes, counted: all, atATime },
    ],
    async stop() {
      for (const load of [codes, pushes]) load.stop()
      await service.stop()
      await stop(checkout)
    },
  }
}

interface Place {
  readonly address: string
  readonly counted: Readonly<Record<string, Counted>>
  readonly stop: (checkout: string) => Promise<void>
}

async function createFolder(): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'second-factor-bench-'))
  return { address: join(folder, 'service.sqlite'), counted: {}, stop: async () => rmSync(folder, { recursive: true }) }
}

async function startServer(): Promise<Place> {
  const postgres = await startPostgres({ fsync: true })
  const address = await postgres.createDatabase()
  return {
    address,
    counted: { PostgreSQL: { pid: await postmasterOf(address), withChildren: true } },
    async stop(checkout) {
      console.log(`${checkout}: ${await rolledBack(address)} of the transactions were rolled back`)
      await postgres.stop()
    },
  }
}

async function rolledBack(database: string): Promise<string> {
  const client = new Client(database)
  await client.connect()
  const { rows } = await client.query<{ share: number }>(
    `select 100.0 * xact_rollback / (xact_rollback + xact_commit) as share
     from pg_stat_database where datname = current_database()`,
  )
  await client.end()
  return `${Number(rows[0]?.share).toFixed(1)} %`
}

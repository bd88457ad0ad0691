/**
 * `node bench/postgres-cost.ts [rounds] [checkout...]`: processor time of the service and of PostgreSQL for a code and for a
 * complete push, and how many one node does in a second. Each checkout has its own PostgreSQL, and they take turns, with eight
 * users at a time. Without a checkout, measures this one. With `PROFILE=folder`, writes a CPU profile of each service.
 */
import { resolve } from 'node:path'

import { Client } from 'pg'

import { root } from '../scripts/run.ts'
import { startPostgres } from '../test/support/postgres.ts'
import type { ServiceGiven } from './contenders/service.ts'
import { startContender } from './measuring/contender.ts'
import { interleave } from './measuring/interleave.ts'
import { startLoad } from './measuring/load.ts'
import { analyze, postmasterOf } from './measuring/postmaster.ts'
import { median } from './spread.ts'

const rounds = Number(process.argv[2] ?? 9)
const checkouts = process.argv.slice(3).map((path) => resolve(path))
if (checkouts.length === 0) checkouts.push(root)
const profile = process.env['PROFILE']
const execArgv = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]

const nodes = []
for (const checkout of checkouts) nodes.push(await startNode(checkout))
const measured = await interleave(
  nodes.flatMap(({ entries }) => entries),
  { rounds, seconds: 1 },
)
for (const { name, samples } of measured) {
  const middle = (key: string) => median(samples.map(({ cpu }) => cpu[key] ?? Number.NaN)).toFixed(2)
  const speed = Math.round(median(samples.map((sample) => sample.perSecond)))
  console.log(`${name}: ${middle('service')} ms service, ${middle('postgres')} ms PostgreSQL, ${speed} a second`)
}
for (const node of nodes) {
  console.log(`${node.checkout}: ${await rolledBack(node.database)} of the transactions were rolled back`)
  await node.stop()
}
process.exit()

async function startNode(checkout: string) {
  const postgres = await startPostgres({ fsync: true })
  const database = await postgres.createDatabase()
  const service = await startContender<ServiceGiven>('contenders/service.ts', [checkout, database], { execArgv })
  const counted = {
    service: { pid: service.pid },
    postgres: { pid: await postmasterOf(database), withChildren: true },
  }
  const codes = await startLoad('rest-code', service.given)
  const pushes = await startLoad('push', service.given)
  return {
    checkout,
    database,
    entries: [
      { name: `${checkout} code`, load: codes, counted, warmedUp: () => analyze(database) },
      { name: `${checkout} push`, load: pushes, counted },
    ],
    async stop() {
      for (const load of [codes, pushes]) load.stop()
      await service.stop()
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

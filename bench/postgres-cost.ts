/**
 * `node bench/postgres-cost.ts [rounds] [checkout...]`: processor time of the service and of PostgreSQL for a code and for a
 * complete push, and how many one node does in a second. Each checkout has its own PostgreSQL, and they take turns, with eight
 * users at a time. The callers run in this process. Without a checkout, measures this one.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join, resolve } from 'node:path'

import { Client } from 'pg'

import { createClient } from '../src/client/client.ts'
import { startPostgres } from '../test/support/postgres.ts'
import { createMovedClock } from './postgres-cost/moved-clock.ts'
import { timeOf, timeWithChildren } from './postgres-cost/processor-time.ts'
import type { Contender } from './sign-in-checks/contender.ts'
import { codesOfOurs, pushesOfOurs } from './sign-in-checks/ours.ts'
import { median } from './spread.ts'

const rounds = Number(process.argv[2] ?? 9)
const checkouts = process.argv.slice(3).map((path) => resolve(path))
if (checkouts.length === 0) checkouts.push(join(import.meta.dirname, '..'))
const people = 120
const atATime = 8

const clock = createMovedClock()
const nodes = []
for (const checkout of checkouts) nodes.push(await startNode(checkout))

const measured = nodes.map(() => new Map<string, Cost[]>())
try {
  // The first rounds only warm up. A database that is in use has statistics.
  for (let round = -3; round < rounds; round++) {
    if (round === -1) for (const { database } of nodes) await analyze(database)
    clock.move(30)
    for (const node of nodes) node.move(30)
    for (const [index, node] of nodes.entries()) {
      for (const contender of node.contenders) {
        const cost = await costOf(contender, node)
        if (round < 0) continue
        const costs = measured[index]?.get(contender.name) ?? []
        measured[index]?.set(contender.name, [...costs, cost])
      }
    }
  }
  for (const [index, { checkout, database }] of nodes.entries()) {
    console.log(`${checkout}: ${await rolledBack(database)} of the transactions were rolled back`)
    for (const [name, costs] of measured[index] ?? []) {
      const said = (['service', 'postgres', 'perSecond'] as const).map((key) => median(costs.map((cost) => cost[key])))
      const [service = 0, postgres = 0, perSecond = 0] = said
      const columns = [`${service.toFixed(2)} ms service`, `${postgres.toFixed(2)} ms PostgreSQL`]
      console.log(`  ${name.padEnd(32)} ${columns.join('  ')}  ${Math.round(perSecond)} a second`)
    }
  }
} finally {
  for (const node of nodes) await node.stop()
}
process.exit()

/** Milliseconds of processor time for each. */
interface Cost {
  readonly service: number
  readonly postgres: number
  readonly perSecond: number
}

type Node = Awaited<ReturnType<typeof startNode>>

async function startNode(checkout: string) {
  const postgres = await startPostgres({ fsync: true })
  const database = await postgres.createDatabase()
  const execArgv =
    process.env['PROFILE'] === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${process.env['PROFILE']}`]
  const child = fork(join(import.meta.dirname, 'postgres-cost/service.ts'), [checkout, database], { execArgv })
  const [{ url, apiKey, domainId }] = (await once(child, 'message')) as [Record<'url' | 'apiKey' | 'domainId', string>]
  const client = createClient({ baseUrl: `${url}/api`, apiKey, clock })
  const enroll = async (username: string) => {
    const { id } = await client.users.create({ username, name: username, email: 'person@example.com' })
    await client.domains.addUser(domainId, id)
    const { code = '' } = await client.tokens.issue(domainId, id)
    return { userId: id, code }
  }
  const service = {
    engine: 'PostgreSQL',
    url,
    database,
    client,
    apiKey,
    domainId,
    enroll,
    close: () => Promise.resolve(),
  } as const
  const codes = await codesOfOurs(service, clock, people)
  const pushes = await pushesOfOurs(service, clock, atATime)
  return {
    checkout,
    database,
    contenders: [codes, pushes],
    servicePid: child.pid ?? 0,
    postgresPid: await postmasterOf(database),
    move: (seconds: number) => child.send(seconds),
    async stop() {
      child.disconnect()
      await once(child, 'exit')
      await postgres.stop()
    },
  }
}

async function analyze(database: string): Promise<void> {
  const client = new Client(database)
  await client.connect()
  await client.query('analyze')
  await client.end()
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

async function postmasterOf(database: string): Promise<number> {
  const client = new Client(database)
  await client.connect()
  const { rows } = await client.query<{ file: string }>(`select pg_read_file('postmaster.pid') as file`)
  await client.end()
  return Number(rows[0]?.file.split('\n')[0])
}

async function costOf({ check }: Contender, { servicePid, postgresPid }: Node): Promise<Cost> {
  const before = { service: timeOf(servicePid), postgres: timeWithChildren(postgresPid) }
  let next = 0
  const start = performance.now()
  const work = async () => {
    for (let person = next++; person < people; person = next++) await check(person)
  }
  await Promise.all(Array.from({ length: atATime }, work))
  return {
    service: (timeOf(servicePid) - before.service) / people,
    postgres: (timeWithChildren(postgresPid) - before.postgres) / people,
    perSecond: people / ((performance.now() - start) / 1000),
  }
}

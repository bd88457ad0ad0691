import { setTimeout as pause } from 'node:timers/promises'

import { startPostgres } from '../../test/support/postgres.ts'
import type { PushOptions } from '../loads/push.ts'
import type { Counted, Sample } from '../measuring/load.ts'
import { startLoad } from '../measuring/load.ts'
import { analyze, postmasterOf } from '../measuring/postmaster.ts'
import { timeOf, timeWithChildren } from '../measuring/processor-time.ts'
import { figure, latency } from '../row.ts'
import type { Row, Run } from '../row.ts'
import { median } from '../spread.ts'
import { startService } from './start-service.ts'

const nodeCounts = [1, 2, 6] as const
/** Web processes that wait for sessions, each at another node. */
const apps = 6
/** Pushes a second, a fraction of what one core can serve. */
const rate = 15
/** Each node has to compile its functions: seconds of load for each of them, in relation to those of a round. */
const warmUpShare = 8
/** A round in relation to those of other rows: processor times have steps of 10 ms, and here are 70 processes. */
const roundShare = 4
/** Concurrent pushes at most. */
const atATime = 8

const target = 1.2
const rest =
  'What remains are the notifications: a push sends two, and PostgreSQL wakes the listening connection of each node for each of them, which are ten more wake-ups ' +
  'at six nodes. On a busy machine, a wake-up took 0.12 ms of PostgreSQL and 0.19 ms of the node. Tried, with gain: events of streams from the notification itself, ' +
  'instead of a read by each node (15 transactions less for each push at six nodes); connections that stay open for a minute without use instead of ten seconds, because a new ' +
  'one prepares all statements again, which costs PostgreSQL as much as ten pushes. Not used: channels to which only those nodes listen that wait. PostgreSQL 18 wakes ' +
  'all listening connections of a database all the same, for 0.07 ms each, and only the rest is saved. Each wait would begin with LISTEN and end with UNLISTEN, and a ' +
  'node that serves hundreds of open authenticators would listen to all channels anyway.'

export const sixNodes: Row = {
  name: 'six-nodes',
  title: 'A push at several nodes',
  work:
    `Complete pushes at 1, 2 and 6 nodes with one PostgreSQL database, ${rate} a second. Each call of a push goes to the next node, as behind a load balancer, and ` +
    `${apps} web processes wait for the answers, each with an event stream at another node. The figures are processor time of all nodes and of PostgreSQL. What they ` +
    'need without any request is subtracted and shown apart.',
  columns: [
    { key: 'cpu', title: 'CPU ms each', unit: 'ms' },
    { key: 'nodes', title: 'CPU ms of the nodes', unit: 'ms' },
    { key: 'database', title: 'CPU ms of PostgreSQL', unit: 'ms' },
    { key: 'idle', title: 'idle, CPU ms a second', unit: 'ms' },
    latency,
  ],
  chart: 'cpu',
  lowerIsBetter: true,
  async measure(run) {
    const clusters: Cluster[] = []
    for (const count of nodeCounts) clusters.push(await startCluster(count, run))
    const idle = await idleTimes(clusters, run.seconds * roundShare * 1000)
    const entries: readonly Entry[] = clusters.flatMap((cluster, index) => {
      const entry = { name: nameOf(cluster), cluster, idle: idle[index] ?? noTime, rate, samples: [] as Sample[] }
      // As many pushes as each of six nodes gets.
      return cluster.count === 1
        ? [entry, { ...entry, name: 'one node, a sixth of the pushes', rate: rate / 6, samples: [] }]
        : [entry]
    })
    for (let round = 0; round < run.rounds; round++) {
      for (const { cluster, samples, ...entry } of round % 2 === 0 ? entries : entries.toReversed()) {
        const milliseconds = run.seconds * roundShare * 1000
        samples.push(await cluster.load.round({ milliseconds, atATime, rate: entry.rate, counted: cluster.counted }))
      }
    }
    const lines = entries.map(lineOf)
    for (const cluster of clusters) await cluster.stop()

    const [one, oneSixth, , six] = lines.map(({ values }) => values.cpu)
    const compared = (other: readonly number[] = []) =>
      median((six ?? []).map((value, round) => value / (other[round] ?? Number.NaN)))
    const times = compared(one)
    return {
      lines,
      goals: [
        {
          figure: 'processor time of a push at six nodes, compared with one',
          value: times,
          reach: target,
          atMost: true,
          unit: 'times',
          rest,
        },
      ],
      findings: [
        `At six nodes, a push needs ${figure(times)} times the processor time that it needs at one.`,
        `Compared with one node that gets as many pushes as each of the six does, it is ${figure(compared(oneSixth))} times: a node that sleeps longer finds less of its memory in the caches of the processor.`,
      ],
    }
  },
}

interface Cluster {
  readonly count: number
  readonly load: Awaited<ReturnType<typeof startLoad>>
  readonly counted: Readonly<Record<string, Counted>>
  stop(): Promise<void>
}

/** Nodes on a PostgreSQL server of their own, after many pushes. */
async function startCluster(count: number, run: Run): Promise<Cluster> {
  const server = await startPostgres({ fsync: true })
  const database = await server.createDatabase()
  const first = await startService(database)
  const nodes = [first]
  while (nodes.length < count) nodes.push(await startService(database))
  const urls: PushOptions['urls'] = [first.given.url, ...nodes.slice(1).map(({ given }) => given.url)]
  const load = await startLoad('push', { ...first.given, urls, apps } satisfies PushOptions)
  const counted = {
    database: { pid: await postmasterOf(database), withChildren: true },
    ...Object.fromEntries(nodes.map(({ pid }, index) => [`node ${index}`, { pid }])),
  }
  await load.round({ milliseconds: run.seconds * 1000, atATime, counted })
  await analyze(database)
  await load.round({ milliseconds: run.seconds * warmUpShare * count * 1000, atATime, counted })
  return {
    count,
    load,
    counted,
    async stop() {
      load.stop()
      for (const node of nodes) await node.stop()
      await server.stop()
    },
  }
}

/** A line of the table. */
interface Entry {
  readonly name: string
  readonly cluster: Cluster
  readonly idle: Spent
  /** Pushes a second. */
  readonly rate: number
  readonly samples: Sample[]
}

const nameOf = ({ count }: Cluster) => (count === 1 ? 'one node' : `${count} nodes`)

/** Processor time, milliseconds. */
interface Spent {
  readonly nodes: number
  readonly database: number
}

const noTime: Spent = { nodes: 0, database: 0 }

/** What each cluster needs in a second without any request. Nothing else runs, so all are measured at once. */
async function idleTimes(clusters: readonly Cluster[], milliseconds: number): Promise<readonly Spent[]> {
  const read = () =>
    clusters.map(({ counted }) =>
      spentOf(
        Object.fromEntries(
          Object.entries(counted).map(([name, { pid, withChildren }]) => [
            name,
            withChildren ? timeWithChildren(pid) : timeOf(pid),
          ]),
        ),
      ),
    )
  const before = read()
  await pause(milliseconds)
  return read().map((after, index) => {
    const { nodes, database } = before[index] ?? noTime
    const seconds = milliseconds / 1000
    return { nodes: (after.nodes - nodes) / seconds, database: (after.database - database) / seconds }
  })
}

function spentOf({ database = 0, ...nodes }: Readonly<Record<string, number>>): Spent {
  return { nodes: Object.values(nodes).reduce((sum, time) => sum + time, 0), database }
}

function lineOf({ name, idle, samples }: Entry) {
  const spent = samples.map(({ cpu, perSecond }) => {
    const { nodes, database } = spentOf(cpu)
    return { nodes: nodes - idle.nodes / perSecond, database: database - idle.database / perSecond }
  })
  return {
    name,
    ours: true,
    values: {
      cpu: spent.map(({ nodes, database }) => nodes + database),
      nodes: spent.map(({ nodes }) => nodes),
      database: spent.map(({ database }) => database),
      idle: [idle.nodes + idle.database],
      latency: samples.map((sample) => sample.latency),
    },
  }
}

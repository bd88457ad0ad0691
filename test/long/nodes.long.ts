import { setTimeout as pause } from 'node:timers/promises'

import { describe, expect, it, onTestFinished } from 'vitest'

import { startCluster } from '../processes/cluster.ts'
import type { Cluster, ClusterOptions } from '../processes/cluster.ts'
import { disturbedSignIns, enrollPeople, findWronglyVerified } from '../processes/disturbed.ts'
import { freezeDuring, keepWriting, lookAt, timed } from '../processes/outage.ts'
import { createCall } from '../service/start-service.ts'
import { startPgBouncer } from '../support/pgbouncer.ts'
import { startPostgresProxy } from '../support/postgres-proxy.ts'
import type { PostgresProxy } from '../support/postgres-proxy.ts'

/** How many times all people sign in while a node is killed. */
const rounds = Number(process.env.ROUNDS ?? 50)
/** Milliseconds. */
const timeout = 1_800_000

async function start(options: ClusterOptions = {}): Promise<Cluster> {
  const cluster = await startCluster({ fsync: true, ...options })
  onTestFinished(cluster.stop)
  return cluster
}

const nothing = () => Promise.resolve()

describe('several nodes', () => {
  it(
    `killing nodes in ${rounds} rounds of sign-ins verifies no one wrongly and costs at most one retry`,
    { timeout },
    async () => {
      const cluster = await start()
      const people = await enrollPeople(cluster, { approving: 6, denying: 1, typing: 2 })
      const nodes = [...cluster.serviceNodes, ...cluster.webNodes]
      const wrong: string[] = []

      for (let round = 0; round < rounds; round += 1) {
        const node = nodes[round % nodes.length]!
        const { approved, denied } = await disturbedSignIns(cluster, people, async () => {
          node.kill()
          await node.restart()
        })
        for (const { username, verified, begun } of approved) {
          if (!verified || begun > 2) wrong.push(`${username} in round ${round}: verified ${verified}, begun ${begun}`)
        }
        for (const { username, verified } of denied) if (verified) wrong.push(`${username} is in`)
      }

      expect(wrong).toEqual([])
      expect(await findWronglyVerified(cluster, people)).toEqual([])
    },
  )

  it(
    'several nodes answer 503 in time while PostgreSQL is stopped for 40 seconds, and lose nothing',
    { timeout },
    async () => {
      const cluster = await start()

      const { observed, lost } = await freezeDuring(cluster, async (node) => {
        const end = performance.now() + 40_000
        const looks = []
        while (performance.now() < end) looks.push(await lookAt(node))
        return looks
      })
      const people = await enrollPeople(cluster, { approving: 2, denying: 0, typing: 0 })
      const { approved } = await disturbedSignIns(cluster, people, nothing)

      expect(observed.length).toBeGreaterThan(4)
      for (const { users, ready } of observed) {
        expect([users.status, users.retryAfter, ready.status]).toEqual([503, '1', 503])
        expect(Math.max(users.took, ready.took)).toBeLessThan(5_000)
      }
      expect(lost).toEqual([])
      expect(approved.map(({ verified }) => verified)).toEqual([true, true])
    },
  )
})

describe('a slow PostgreSQL', () => {
  it(
    'a slow PostgreSQL slows sign-ins down or fails them with 503, uses few connections, and has no lasting effect',
    { timeout },
    async () => {
      let proxy: PostgresProxy | undefined
      const cluster = await start({
        between: async (database) => {
          proxy = await startPostgresProxy(database)
          onTestFinished(proxy.close)
          return { address: proxy.url }
        },
      })
      const people = await enrollPeople(cluster, { approving: 3, denying: 1, typing: 1 })
      const authorization = `Service key="${cluster.apiKey}"`
      const ask = () => timed(`${cluster.service.url}/api/users`, { headers: { authorization } })
      const most = () => cluster.serviceNodes.length * 12

      proxy?.delay(50)
      const slow = await disturbedSignIns(cluster, people, nothing)
      proxy?.delay(3_000)
      const answers = await Promise.all(Array.from({ length: 90 }, ask))
      const connections = proxy?.connections() ?? 0
      proxy?.delay(0)
      const after = await disturbedSignIns(cluster, people, nothing)

      expect(slow.approved.filter(({ verified }) => !verified)).toEqual([])
      expect(answers.map(({ status, retryAfter }) => [status, retryAfter])).toEqual(answers.map(() => [503, '1']))
      expect(Math.max(...answers.map(({ took }) => took))).toBeLessThan(10_000)
      expect(connections).toBeLessThanOrEqual(most())
      expect(after.approved.map(({ verified }) => verified)).toEqual([true, true, true])
      expect([...slow.denied, ...after.denied].filter(({ verified }) => verified)).toEqual([])
      expect(await findWronglyVerified(cluster, people)).toEqual([])
    },
  )
})

describe('PgBouncer in transaction mode', () => {
  /** Milliseconds until one node reports what happened at another one. */
  async function waitForOther(cluster: Cluster, userId: string): Promise<number> {
    const [here, there] = cluster.serviceNodes.map((node) => createCall(node.origin(), cluster.apiKey))
    const sessions = `/domains/${cluster.domainId}/sessions`
    const { json } = await here!('POST', sessions, { body: { user: { id: userId } } })
    const heldRead = here!('GET', `${sessions}/${json.id}`, { headers: { prefer: 'wait=60' } })
    // Since this many later requests were answered, this one is held.
    const writes = keepWriting(cluster)
    await writes.atLeast(10)
    await writes.lost()
    const begun = performance.now()
    await there!('DELETE', `${sessions}/${json.id}`)
    await heldRead
    return performance.now() - begun
  }

  const through = (direct: boolean) => async (database: string) => {
    const pooler = await startPgBouncer(database)
    onTestFinished(pooler.stop)
    return { address: pooler.address, env: direct ? { MFA_LISTEN_DATABASE: database } : {} }
  }

  it(
    'PgBouncer in transaction mode serves sign-ins, but without a listening address an error names the option',
    { timeout },
    async () => {
      const cluster = await start({ services: 2, between: through(false) })
      const people = await enrollPeople(cluster, { approving: 2, denying: 0, typing: 1 })

      const { approved } = await disturbedSignIns(cluster, people, nothing)
      const [node] = cluster.serviceNodes
      while (!node?.stderr().includes('--listen-database')) await pause(100)
      const took = await waitForOther(cluster, people.approving[0]!.id)

      expect(approved.map(({ verified }) => verified)).toEqual([true, true])
      expect(node.stderr().match(/--listen-database/g)).toHaveLength(1)
      expect(took).toBeLessThan(5_000)
      expect(await findWronglyVerified(cluster, people)).toEqual([])
    },
  )

  it(
    'PgBouncer in transaction mode serves sign-ins without errors if the nodes listen at PostgreSQL itself',
    { timeout },
    async () => {
      const cluster = await start({ services: 2, between: through(true) })
      const people = await enrollPeople(cluster, { approving: 4, denying: 1, typing: 1 })

      const { approved, denied } = await disturbedSignIns(cluster, people, nothing)
      const took = await waitForOther(cluster, people.approving[0]!.id)

      expect(approved.map(({ verified }) => verified)).toEqual([true, true, true, true])
      expect(denied.filter(({ verified }) => verified)).toEqual([])
      expect(took).toBeLessThan(1_000)
      expect(cluster.serviceNodes.map((node) => node.stderr()).join('')).not.toContain('--listen-database')
      expect(await findWronglyVerified(cluster, people)).toEqual([])
    },
  )
})

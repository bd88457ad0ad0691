import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { runIn } from '../cli/admin/run-command.ts'
import { startCluster } from './cluster.ts'
import type { Cluster, Node } from './cluster.ts'
import { disturbedSignIns, findWronglyVerified, enrollPeople } from './disturbed.ts'
import type { People } from './disturbed.ts'
import { freezeDuring, lookAt, missNotification } from './outage.ts'

let cluster: Cluster
let people: People

beforeAll(async () => {
  cluster = await startCluster()
  people = await enrollPeople(cluster, { approving: 4, denying: 1, typing: 1 })
}, 300_000)
afterAll(() => cluster.stop())

describe('two web nodes and three service nodes on one PostgreSQL', () => {
  const kinds: readonly (readonly [string, () => Node])[] = [
    ['service node', () => cluster.serviceNodes[0]!],
    ['web node', () => cluster.webNodes[0]!],
  ]

  it.each(kinds)(
    'two web and three service nodes verify everyone who approves, and no one else, when a %s is killed',
    { timeout: 300_000 },
    async (_kind, node) => {
      const signIns = await disturbedSignIns(cluster, people, async () => node().kill())
      await node().restart()

      expect(signIns.approved.map(({ verified, begun }) => ({ verified, once: begun <= 2 }))).toEqual(
        signIns.approved.map(() => ({ verified: true, once: true })),
      )
      expect(signIns.denied.filter(({ verified }) => verified)).toEqual([])
      expect(signIns.typed.filter(({ verified }) => verified).length).toBeLessThanOrEqual(1)
      expect(await findWronglyVerified(cluster, people)).toEqual([])
    },
  )

  it('nodes answer 503 in time while PostgreSQL is stopped, lose nothing, and become ready again without a restart', async () => {
    const { observed, lost } = await freezeDuring(cluster, lookAt)

    expect(observed.users).toMatchObject({ status: 503, retryAfter: '1' })
    expect(observed.users.took).toBeLessThan(5_000)
    expect(observed.ready.status).toBe(503)
    expect(observed.ready.took).toBeLessThan(5_000)
    expect(lost).toEqual([])
  }, 300_000)

  it('nodes recover when PostgreSQL is killed, lose nothing, and tell waiting callers what they missed', async () => {
    const { session, took, lost } = await missNotification(cluster, people.approving[0]!.id)
    const verified = await runIn(cluster.keys, 'audit', 'verify', '--database', cluster.database)

    expect(session).toMatchObject({ state: 'cancelled' })
    expect(took).toBeLessThan(20_000)
    expect(lost).toEqual([])
    expect([verified.code, verified.stderr]).toEqual([0, ''])
  }, 300_000)
})

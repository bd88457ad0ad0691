import { randomBytes } from 'node:crypto'

import { pause, systemClock } from '../../src/ground/clock.ts'
import type { AuditEntry } from '../../src/service/engine/audit/entry.ts'
import { verifyAudit } from '../../src/service/engine/audit/read.ts'
import { openPostgresStore } from '../../src/service/engine/database/postgres.ts'
import { runIn } from '../cli/admin/run-command.ts'
import { entriesOf } from '../service/engine/audit/recorded.ts'
import { createCall, newUser } from '../service/start-service.ts'
import { startLoadBalancer } from '../support/load-balancer.ts'
import { startPostgresPair } from '../support/postgres-pair.ts'
import { openBooks } from './books.ts'
import { createNode, device, enrollHolder } from './cluster.ts'
import type { Node } from './cluster.ts'
import { serve } from './command.ts'
import { whenReady } from './outage.ts'

/** Two nodes under load, whose PostgreSQL has a synchronous standby. */
export interface FailoverCluster {
  /**
   * Kills the primary in the middle of work, and promotes the standby at once.
   * @returns the time from the kill to the first acknowledged write, milliseconds, and a sentence for each loss and each double use.
   */
  readonly failOver: (timing: KillTiming) => Promise<{ readonly pause: number; readonly problems: readonly string[] }>
  /** The next failover needs a standby. */
  readonly addStandby: () => Promise<void>
  readonly acknowledged: () => number
  readonly stop: () => Promise<void>
}

/** When the primary is killed. */
export interface KillTiming {
  /** Acknowledged writes before it. */
  readonly writes: number
  /** Milliseconds after the last of these. */
  readonly delay: number
  /** Milliseconds before the kill in which nothing reaches the primary, beginning with a COMMIT. */
  readonly hang?: number | undefined
}

const metricsToken = 'sixteen-characters'
/** Each of them adds users, uses codes and approves requests. */
const writers = 3

/** @param people The users who sign in. Approvals that get lost in a failover lock a user for a while. */
export async function startFailoverCluster(people: number, { fsync = false } = {}): Promise<FailoverCluster> {
  const pair = await startPostgresPair({ fsync })
  const keys = { MFA_KEYS: `k1:${randomBytes(32).toString('base64')}` }
  const { domainId, apiKey } = (await runIn(keys, 'init', '--database', pair.url, '--json')).json
  const start = () => serve(pair.url, keys, ['--log-level', 'silent', '--metrics-token', metricsToken])
  const [nodes] = await Promise.all([Promise.all([createNode(start), createNode(start)]), pair.addStandby()])
  const balancer = await startLoadBalancer(() => nodes.map(({ origin }) => origin()))
  const call = createCall(balancer.url, apiKey)
  const enrollment = { call, url: balancer.url, domainId }
  const holders = await Promise.all(
    Array.from({ length: people }, (_, index) => enrollHolder(enrollment, `holder ${index}`)),
  )
  const attempts = nodes.map((node) => createCall(node.origin(), apiKey))
  const books = openBooks({ call, attempts, device, domainId, people: holders })

  async function pauseSince(killed: number): Promise<number> {
    const add = () => call('POST', '/users', { body: newUser(randomBytes(9).toString('hex')) })
    while ((await add()).status !== 200) await pause(systemClock, 5)
    return performance.now() - killed
  }

  return {
    async failOver({ writes, delay, hang }) {
      const enough = new AbortController()
      const working = Promise.all(Array.from({ length: writers }, () => books.work(enough.signal)))
      await books.more(writes)
      await pause(systemClock, delay)
      if (hang !== undefined) {
        await pair.hang()
        await pause(systemClock, hang)
      }
      const killed = performance.now()
      await pair.failOver()
      const paused = await pauseSince(killed)
      await Promise.all(nodes.map(whenReady))
      enough.abort()
      await working
      const problems = [
        await books.audit(),
        await Promise.all(nodes.map(lossAt)),
        await problemsOfTrail(pair.database()),
      ]
      return { pause: paused, problems: problems.flat(2) }
    },
    addStandby: pair.addStandby,
    acknowledged: books.acknowledged,
    async stop() {
      for (const node of nodes) node.kill()
      await balancer.close()
      await pair.stop()
    },
  }
}

/** What a node says about changes that its database has lost. */
async function lossAt(node: Node): Promise<readonly string[]> {
  const readiness = await (await fetch(`${node.origin()}/readyz`)).text()
  const headers = { authorization: `Bearer ${metricsToken}` }
  const metrics = await (await fetch(`${node.origin()}/metrics`, { headers })).text()
  const isFine = !readiness.includes('detail') && /^second_factor_database_loss 0$/m.test(metrics)
  return isFine ? [] : [`a node reports a loss: ${readiness}`]
}

/** Findings in the audit trail, and codes and approvals that were accepted twice according to it, although a caller got no answer. */
async function problemsOfTrail(database: string): Promise<readonly string[]> {
  const store = await openPostgresStore(database, { create: false })
  try {
    const { findings } = await verifyAudit(store.db, [])
    const entries = await entriesOf(store.db)
    const countBy = (fact: 'user' | 'session', isCounted: (entry: AuditEntry) => boolean) =>
      Object.entries(countsOf(entries.filter(isCounted).map(({ facts }) => String(facts[fact]))))
    const codes = Object.fromEntries(countBy('user', ({ event }) => event === 'bypass.created'))
    const used = countBy('user', ({ event, facts }) => event === 'session.approved' && facts['factor'] === 'bypass')
    const redeemed = countBy('session', ({ event }) => event === 'session.redeemed')
    return [
      ...findings.map((finding) => `the audit trail has a finding: ${JSON.stringify(finding)}`),
      ...used.filter(([user, count]) => count > (codes[user] ?? 0)).map(([user]) => `${user} used a code twice`),
      ...redeemed.filter(([, count]) => count > 1).map(([id]) => `the approval of ${id} was redeemed twice`),
    ]
  } finally {
    await store.close()
  }
}

const countsOf = (values: readonly string[]): Readonly<Record<string, number>> =>
  Object.fromEntries([...Map.groupBy(values, (value) => value)].map(([value, group]) => [value, group.length]))

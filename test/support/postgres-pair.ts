import { Client } from 'pg'

import { pause, systemClock } from '../../src/ground/clock.ts'
import { execute, startPostgres } from './postgres.ts'
import type { PostgresServer } from './postgres-server.ts'
import { startPostgresProxy } from './postgres-proxy.ts'

/** A primary, and a synchronous standby once it has been added, behind one address: what Patroni and HAProxy provide. */
export interface PostgresPair {
  /** The address of an empty database, which always leads to the primary. */
  readonly url: string
  /** The same database at the present primary. */
  readonly database: () => string
  /** From the next COMMIT on, nothing reaches the primary. Resolves when that COMMIT was sent. */
  readonly hang: () => Promise<void>
  /** Kills the primary and promotes its standby, which continues without one. */
  readonly failOver: () => Promise<void>
  /** Adds a synchronous standby. Resolves once each COMMIT waits for it. */
  readonly addStandby: () => Promise<void>
  readonly stop: () => Promise<void>
}

export async function startPostgresPair({ fsync = false } = {}): Promise<PostgresPair> {
  const first = await startPostgres({ fsync })
  const address = new URL(await first.createEmptyDatabase())
  const proxy = await startPostgresProxy(address.href)
  let primary: PostgresServer = first
  let standby: PostgresServer | undefined
  let former: PostgresServer | undefined

  async function addStandby(): Promise<void> {
    await former?.stop()
    standby = await primary.startStandby()
    await execute(primary.url, `ALTER SYSTEM SET synchronous_standby_names = '*'`)
    await execute(primary.url, 'SELECT pg_reload_conf()')
    while (!(await isSynchronous(primary.url))) await pause(systemClock, 10)
  }

  return {
    url: proxy.url,
    database: () => new URL(address.pathname, primary.url).href,
    hang: proxy.stallAtCommit,
    async failOver() {
      if (!standby) throw new Error('there is no standby')
      former = primary
      await former.kill()
      // Before the promotion: with two primaries, each would accept changes.
      await proxy.cut()
      proxy.resume()
      await execute(standby.url, 'SELECT pg_promote()')
      proxy.leadTo(standby.url)
      await proxy.mend()
      primary = standby
      standby = undefined
    },
    addStandby,
    async stop() {
      await proxy.close()
      for (const server of [former, standby, primary]) await server?.stop()
    },
  }
}

/** Whether a standby has received what the primary has written, and COMMIT waits for it. */
async function isSynchronous(url: string): Promise<boolean> {
  const client = new Client(url)
  await client.connect()
  try {
    const { rows } = await client.query(`SELECT FROM pg_stat_replication WHERE sync_state = 'sync'`)
    return rows.length > 0
  } finally {
    await client.end()
  }
}

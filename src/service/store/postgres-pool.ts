import type Pg from 'pg'
import type { PostgresPool, PostgresPoolClient } from 'kysely'

import { StoreUnavailableError } from './store.ts'

/**
 * A pool whose connections are taken for one unit of work, a statement or a transaction, for a limited time. A connection
 * that takes longer is closed: back in the pool, it would hold up the next unit of work as well. So is one to a server that
 * turned out to be read-only: after a failover, a new connection leads to the server that takes changes.
 * @param timeout How long a unit of work may take, with its wait for a connection; milliseconds.
 */
export function createTimedPool(pool: Pg.Pool, timeout: number): PostgresPool {
  return {
    options: pool.options,
    async connect() {
      const arrived = performance.now()
      const client = await pool.connect()
      return lease(client, timeout - (performance.now() - arrived))
    },
    end: () => pool.end(),
  }
}

/** read_only_sql_transaction (PostgreSQL's manual, appendix A). */
const readOnlyTransaction = '25006'

/** @param time Milliseconds until the connection is closed. */
function lease(client: Pg.PoolClient, time: number): PostgresPoolClient {
  let late: StoreUnavailableError | undefined
  let readOnly = false
  const timer = setTimeout(() => {
    late = new StoreUnavailableError('Timed out waiting for the database.')
    // With an error, the pool closes the connection; what runs on it fails at once.
    client.release(late)
  }, time)
  const leased: Pick<PostgresPoolClient, 'release'> & { query(text: string, values: unknown[]): Promise<unknown> } = {
    async query(text, values) {
      if (late) throw late
      try {
        return await client.query(text, values)
      } catch (error) {
        readOnly ||= error instanceof Error && 'code' in error && error.code === readOnlyTransaction
        throw late ?? error
      }
    },
    release() {
      clearTimeout(timer)
      if (!late) client.release(readOnly)
    },
  }
  return leased as PostgresPoolClient
}

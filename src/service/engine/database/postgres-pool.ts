import type Pg from 'pg'

import { useDatabase, withinTime } from '../base/waiting-caller.ts'
import type { DatabaseUse } from '../base/waiting-caller.ts'
import { OutcomeUnknownError, StoreUnavailableError } from '../base/store-errors.ts'
import type { ServerWatch } from './postgres-identity.ts'

/** Connections for one unit of work each. */
export interface PostgresPool {
  connect(): Promise<PostgresClient>
  end(): Promise<void>
}

export type PostgresClient = Pick<Pg.PoolClient, 'release'> & {
  query(query: Pg.QueryConfig): Promise<Pg.QueryResult<object>>
}

/**
 * A pool whose connections are taken for one unit of work, a statement or a transaction, for a limited time. A connection
 * that takes longer is closed: back in the pool, it would hold up the next unit of work as well. So is one to a server that
 * turned out to be read-only: after a failover, a new connection leads to the server that takes changes. So is one that
 * prepared a statement before the schema changed, and one whose server has been replaced meanwhile.
 * @param timeout How long a unit of work may take, with its wait for a connection, and how long all those of a request together;
 *   milliseconds.
 */
export function createTimedPool(pool: Pg.Pool, timeout: number, servers: ServerWatch): PostgresPool {
  /** Whether the server still has what a connection prepared. */
  const prepares = { isKept: true }
  const connect = () => currentConnection(pool, servers)
  const interrupted = () => servers.interrupted()
  // The pool emits no errors of connections that are taken, and would emit those that we close ourselves.
  pool.on('connect', (client) => {
    client.on('error', () => void (closed.has(client) || servers.interrupted()))
  })
  pool.on('remove', (client) => servers.forget(client))
  return {
    async connect() {
      const use = useDatabase(timeout)
      const end = performance.now() + use.timeLeft()
      const client = await connectInTime(connect, use)
      return lease(client, { time: end - performance.now(), prepares, interrupted, over: use.end })
    },
    end: () => pool.end(),
  }
}

/** The connections that we close ourselves. */
const closed = new WeakSet<object>()
/** Ends the unit of work that holds the connection. */
const enders = new WeakMap<object, (error: StoreUnavailableError) => void>()

const replaced = () => new StoreUnavailableError('The database was replaced by another server.')

/** A connection to the server that this node knows. */
async function currentConnection(pool: Pg.Pool, servers: ServerWatch): Promise<Pg.PoolClient> {
  for (;;) {
    const client = await pool.connect()
    if (closed.has(client)) client.release(true)
    else if (!servers.isDue(client)) return client
    else {
      try {
        await servers.compare(client, () => {
          closed.add(client)
          enders.get(client)?.(replaced())
        })
        return client
      } catch (error) {
        servers.interrupted()
        client.release(true)
        throw error
      }
    }
  }
}

async function connectInTime(connect: () => Promise<Pg.PoolClient>, use: DatabaseUse): Promise<Pg.PoolClient> {
  const connecting = connect()
  try {
    return await withinTime(use, connecting)
  } catch (error) {
    use.end()
    connecting.then(
      (client) => client.release(),
      () => {},
    )
    throw error
  }
}

/** The connections whose server has warned since the last COMMIT was sent (class 01 of its manual's appendix A). */
const warned = new WeakSet<object>()

/** Listens for the warnings of a connection. */
export function watchWarnings(client: Pick<Pg.PoolClient, 'on'>): void {
  client.on('notice', ({ code }) => {
    if (code === '01000') warned.add(client)
  })
}

interface Lease {
  /** Milliseconds until the connection is closed. */
  readonly time: number
  readonly prepares: { isKept: boolean }
  /** Called when the database did not answer in time. */
  readonly interrupted: () => void
  /** Called once the connection is given back or closed. */
  readonly over: () => void
}

function lease(client: Pg.PoolClient, { time, prepares, interrupted, over }: Lease): PostgresClient {
  let ended: StoreUnavailableError | undefined
  let unfit = false
  const { stream } = client.connection
  const end = (error: StoreUnavailableError) => {
    ended = error
    settle()
    closed.add(client)
    client.release(error)
    // The pool would wait for the statements that were sent. Now they fail at once.
    stream.destroy()
  }
  const timer = setTimeout(() => {
    interrupted()
    end(new StoreUnavailableError('Timed out waiting for the database.'))
  }, time)
  const settle = () => {
    clearTimeout(timer)
    enders.delete(client)
    over()
  }
  enders.set(client, end)
  // It may have been closed since it was compared.
  if (closed.has(client)) end(replaced())
  return {
    async query({ name, ...query }) {
      if (ended) throw ended
      // All statements of one turn of the event loop leave in one write, because each write costs more than all the rest.
      stream.cork()
      process.nextTick(() => stream.uncork())
      try {
        const result = await client.query<object>(
          prepares.isKept && !unfit && name !== undefined ? { ...query, name } : query,
        )
        // Somebody canceled the wait for a standby: the change is here, and is lost if the standby takes over.
        if (warned.delete(client) && result.command === 'COMMIT')
          throw new OutcomeUnknownError('The change may be missing on the standby.')
        return result
      } catch (error) {
        if (isLostStatement(error)) prepares.isKept = false
        unfit ||= isReadOnly(error) || isStaleStatement(error)
        throw ended ?? error
      }
    },
    release(broken) {
      if (ended) return
      settle()
      client.release(broken ?? unfit)
    },
  }
}

/** Whether the statement was not executed because it has to be prepared again. A retry of the unit of work does that. */
export const isUnprepared = (error: unknown): boolean => isStaleStatement(error) || isLostStatement(error)

/**
 * A newer version has added a column to a table of the statement: "cached plan must not change result type". The code is
 * feature_not_supported, which others share, and the message may be translated.
 */
const isStaleStatement = (error: unknown): boolean =>
  codeOf(error) === '0A000' && error instanceof Error && 'routine' in error && error.routine === 'RevalidateCachedQuery'

/**
 * A pooler has sent the statement to another connection: it is missing there, or there already (invalid_sql_statement_name,
 * duplicate_prepared_statement). From then on nothing is prepared.
 */
const isLostStatement = (error: unknown): boolean => ['26000', '42P05'].includes(codeOf(error))

/**
 * The server accepts no changes: read_only_sql_transaction (PostgreSQL's manual, appendix A), or a hot standby that was asked for a serializable
 * transaction (section 13.2.3). It reports that as feature_not_supported, which others share, and the message may be translated.
 */
export const isReadOnly = (error: unknown): boolean =>
  codeOf(error) === '25006' ||
  (codeOf(error) === '0A000' &&
    error instanceof Error &&
    'routine' in error &&
    error.routine === 'call_enum_check_hook')

const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')

import type { Client, QueryConfig } from 'pg'

import { StoreUnavailableError } from '../base/store-errors.ts'

/** The server and database behind a connection. */
interface ServerState {
  /** The server's system identifier, which its standbys share, and the database's number. */
  readonly place: string
  readonly isStandby: boolean
  /** Rises with each promotion. Unknown to a standby, until it is promoted itself. */
  readonly timeline: number
  /** Whether a pooler lends another connection to each transaction. */
  readonly isPooled: boolean
}

/** A connection of this node. */
export type IdentifiedClient = Pick<Client, 'query'> & {
  /** The server's process, as it was said when the connection was opened. */
  readonly processID?: number | null
}

/** Compares each connection with what this node has seen, so that a node never uses two databases. */
export interface ServerWatch {
  /**
   * Asks a connection where it leads to. Those that led to the server before a failover are closed.
   *
   * @param close Ends the connection and what it executes.
   * @throws {StoreUnavailableError} where it leads to another database than before, or to a server that was replaced.
   */
  compare(client: IdentifiedClient, close?: () => void): Promise<void>
  /** The same for a connection that is of no use at a standby. It is refused there, whatever the others lead to. */
  comparePrimary(client: IdentifiedClient, close: () => void): Promise<void>
  /** Whether the connection has to be asked: it is new, or a pooler may have given it another server. */
  isDue(client: IdentifiedClient): boolean
  /** The connection was closed. */
  forget(client: IdentifiedClient): void
  /** A connection broke or did not answer, so the next one may meet a server that has lost what it had not stored. */
  interrupted(): void
  /** Why the last new connection was refused. Those that were opened before say nothing about where the address leads to now. */
  problem(): string | undefined
}

/** How long an answer may take, milliseconds. */
const answerTimeout = 3_000
/** How often a connection that a pooler lends is asked, milliseconds. */
const pooledInterval = 1_000

/**
 * No privileges are needed. The name of a file of the write-ahead log begins with the timeline, in hexadecimal.
 * `pg_control_checkpoint()` still has the old one for a moment after a promotion (PostgreSQL's manual, section 9.28.3).
 */
const question = `
  select (select system_identifier from pg_control_system())::text || '/' || (select oid from pg_database where datname = current_database()) as place,
    pg_is_in_recovery() as is_standby,
    case when pg_is_in_recovery() then null else substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8) end as timeline,
    pg_backend_pid() as backend`

/** @param onChange Called before anything is sent to a server that may have lost what the last one had. */
export function createServerWatch(onChange: () => void): ServerWatch {
  let known: ServerState | undefined
  let problem: string | undefined
  let wasInterrupted = false
  /** As `performance.now()`. */
  let interruptedAt = -Infinity
  /** Other databases that speak PostgreSQL's protocol may not answer the question. */
  let answersQuestion = true
  const asked = new WeakMap<IdentifiedClient, { readonly at: number; readonly isPooled: boolean }>()
  const open = new Map<IdentifiedClient, () => void>()

  /** Closes all connections that were opened before a failover. */
  function moveTo(next: ServerState): void {
    known = next
    for (const close of open.values()) close()
    open.clear()
  }

  /** @param isNew Whether the address has led to it just now. */
  function accept(reached: ServerState, isNew: boolean): void {
    const before = known
    const difference = before && differenceOf(before, reached, open.size > 0)
    if (isNew || difference !== undefined) problem = difference
    if (difference !== undefined) throw new StoreUnavailableError(difference)
    const timeline = Math.max(reached.timeline, before?.timeline ?? 0)
    const hasMoved = before && (before.isStandby !== reached.isStandby || before.timeline < timeline)
    if (hasMoved) moveTo({ ...reached, timeline })
    else known = { ...reached, timeline }
    if (hasMoved || wasInterrupted) onChange()
    wasInterrupted = false
  }

  async function stateOf(client: IdentifiedClient): Promise<ServerState | undefined> {
    if (!answersQuestion) {
      // Whether the connection answers at all.
      await client.query('select 1')
      return undefined
    }
    const state = await ask(client)
    if (!state && known)
      throw new StoreUnavailableError(`The address leads to another kind of database than before (${known.place}).`)
    answersQuestion = state !== undefined
    return state
  }

  async function compare(client: IdentifiedClient, close?: () => void, isForPrimary = false): Promise<void> {
    const state = await stateOf(client)
    // A standby lets no one listen, and notifies nobody. Whoever starts the service may wait for its promotion.
    if (state?.isStandby && isForPrimary) throw new StoreUnavailableError('The database is read-only.')
    if (state) accept(state, state.isPooled || !asked.has(client))
    asked.set(client, { at: performance.now(), isPooled: state?.isPooled === true })
    if (close && state?.isPooled === false) open.set(client, close)
  }

  return {
    compare: (client, close) => compare(client, close),
    comparePrimary: (client, close) => compare(client, close, true),
    isDue(client) {
      const last = asked.get(client)
      if (!last) return true
      return last.isPooled && (last.at <= interruptedAt || performance.now() - last.at > pooledInterval)
    },
    forget: (client) => void open.delete(client),
    interrupted() {
      wasInterrupted = true
      interruptedAt = performance.now()
    },
    problem: () => problem,
  }
}

/** @param hasOthers Whether connections to the known server are open. */
function differenceOf(known: ServerState, reached: ServerState, hasOthers: boolean): string | undefined {
  if (reached.place !== known.place) {
    return (
      `The address leads to another database (${reached.place}) than before (${known.place}). ` +
      'Correct the address, or restart the service if the database was replaced on purpose.'
    )
  }
  if (!reached.isStandby && reached.timeline < known.timeline) {
    return (
      `The address leads to a server that was replaced: its timeline is ${reached.timeline}, and ${known.timeline} was seen. ` +
      'Stop that server, and make it a standby of the present one. If you restored a backup on purpose, restart the service.'
    )
  }
  // Behind a load balancer, some connections would read what others have changed already.
  if (reached.isStandby && !known.isStandby && hasOthers && !reached.isPooled) {
    return 'The address leads to a standby, while other connections lead to its primary.'
  }
  return undefined
}

/** @returns undefined where the database does not know the question, or does not allow it. */
async function ask(client: IdentifiedClient): Promise<ServerState | undefined> {
  try {
    // The types of `pg` have the limit only for a connection as a whole.
    const limited: QueryConfig & { query_timeout: number } = { text: question, query_timeout: answerTimeout }
    const { rows } = await client.query<Answer>(limited)
    const [{ place, is_standby, timeline, backend }] = rows as [Answer]
    return {
      place,
      isStandby: is_standby,
      timeline: Number.parseInt(timeline ?? '0', 16),
      isPooled: typeof client.processID === 'number' && client.processID !== backend,
    }
  } catch (error) {
    if (isUnanswerable(error)) return undefined
    throw error
  }
}

interface Answer {
  readonly place: string
  readonly is_standby: boolean
  readonly timeline: string | null
  readonly backend: number
}

/** insufficient_privilege, undefined_function, undefined_table, feature_not_supported (PostgreSQL's manual, appendix A). */
const isUnanswerable = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ['42501', '42883', '42P01', '0A000'].includes(String(error.code))

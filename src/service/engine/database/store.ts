import type { Queryable } from './schema/schema.ts'

/** A change by another process: of these keys, of something unknown, or any number of changes while notifications were lost. */
export type StoreChange = readonly string[] | 'something' | 'gap'

/** A database that is open and has the present schema. */
export interface Store {
  readonly db: Queryable
  /** Whether the database was created just now. */
  readonly created: boolean
  /** Calls back when another process may have changed something; the answer ends it. Quiet about own changes. */
  watchOtherProcesses(changed: (change: StoreChange) => void): () => void
  /** Notifies other processes of changed keys, where they cannot see changes themselves. */
  notifyOtherProcesses(keys: readonly string[]): void
  /**
   * Calls back before the first statement that may meet another server, or an earlier state of the database: after a failover, and after
   * connections broke. Returns a function that removes the listener.
   */
  watchReconnects(listener: () => void): () => void
  /** Call it after tables of users have grown by much: what the database supposes about them may lead it astray. */
  analyze(): Promise<void>
  /**
   * What makes the database unfit to be served from, such as a file that was replaced or a full disk; undefined when all
   * is well. After a change that could not be stored it tries to write, so that it recovers by itself.
   */
  problem(): Promise<string | undefined>
  close(): Promise<void>
}

/** How long all database work of a request may take, less than the 5 s that callers wait by default; milliseconds. */
export const usualDatabaseTime = 4_000

/** How a store is opened. */
export interface OpenOptions {
  /** Whether a database that does not exist is created; by default it is. */
  readonly create?: boolean
  /** Whether a database file is read from end to end first; by default it is. */
  readonly check?: boolean
  /** How long all units of work of a request may take, milliseconds; `usualDatabaseTime` by default. Commands have more time. */
  readonly timeout?: number
}

/** Observes units of work and failures of the database. */
export interface StoreObserver {
  /** A unit of work waited for its connection, or for the beginning of its transaction: on SQLite that is the write lock. */
  waited(purpose: 'connection' | 'transaction', seconds: number): void
  /** A statement outside of a transaction, or a whole transaction. @param part `write` when something may have changed. */
  succeeded(part: 'read' | 'write'): void
  /** The database did not answer, or could not store a change. */
  failed(part: 'read' | 'write', error: unknown): void
}

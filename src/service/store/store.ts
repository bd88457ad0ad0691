import type { Queryable } from './schema.ts'

/** What other processes changed: these things; nobody said what; or more than once, perhaps, while we could not hear. */
export type News = readonly string[] | 'something' | 'gap'

/** A database that is open and has the present schema. */
export interface Store {
  readonly db: Queryable
  /** Whether the database was created just now. */
  readonly created: boolean
  /** Calls back when another process may have changed something; the answer ends it. Quiet about own changes. */
  watchOthers(changed: (news: News) => void): () => void
  /** Tells other processes what changed, where they do not see it by themselves. */
  tellOthers(keys: readonly string[]): void
  /** After tables of users have grown by much: what the database supposes about them may lead it astray. */
  takeStock(): Promise<void>
  /**
   * What makes the database unfit to be served from, such as a file that was replaced or a full disk; undefined when all
   * is well. After a change that could not be stored it tries to write, so that it recovers by itself.
   */
  problem(): Promise<string | undefined>
  close(): Promise<void>
}

/** How a store is opened. */
export interface OpenOptions {
  /** Whether a database that does not exist is created; by default it is. */
  readonly create?: boolean
  /** Whether a database file is read from end to end first; by default it is. */
  readonly check?: boolean
  /** How long a unit of work on PostgreSQL may take, milliseconds; by default 4 seconds. Commands have more time. */
  readonly patience?: number
}

/** A database file cannot be used for this. The message says why, and what to do. */
export class DatabaseFileError extends Error {
  override readonly name = 'DatabaseFileError'
}

/** The database was brought to a schema that this version does not know. */
export class NewerSchemaError extends Error {
  override readonly name = 'NewerSchemaError'
}

/** There is no database, or an empty one, and it may not be created. */
export class NoDatabaseError extends Error {
  override readonly name = 'NoDatabaseError'
}

/** The database did not answer in time; trying again later may work. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError'
}

/** Nobody wants the change any more: its caller has hung up while it waited. The database is as well as before. */
export class CallerGoneError extends StoreUnavailableError {}

/** Told how the database does. */
export interface StoreObserver {
  /** A unit of work waited for its connection, or for the beginning of its transaction: on SQLite that is the write lock. */
  waited(purpose: 'connection' | 'transaction', seconds: number): void
  /** A statement outside of a transaction, or a whole transaction. @param part `write` when something may have changed. */
  succeeded(part: 'read' | 'write'): void
  /** The database did not answer, or could not store a change. */
  failed(part: 'read' | 'write', error: unknown): void
}

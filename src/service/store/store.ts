import type { Queryable } from './schema.ts'

/** A database that is open and has the present schema. */
export interface Store {
  readonly db: Queryable
  /** Calls back when another process may have changed something; the answer ends it. Quiet about own changes. */
  watchOthers(changed: () => void): () => void
  close(): Promise<void>
}

/** The database did not answer in time; trying again later may work. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError'
}

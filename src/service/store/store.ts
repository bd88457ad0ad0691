import type { Queryable } from './schema.ts'

/** What other processes changed: these things; nobody said what; or more than once, perhaps, while we could not hear. */
export type News = readonly string[] | 'something' | 'gap'

/** A database that is open and has the present schema. */
export interface Store {
  readonly db: Queryable
  /** Calls back when another process may have changed something; the answer ends it. Quiet about own changes. */
  watchOthers(changed: (news: News) => void): () => void
  /** Tells other processes what changed, where they do not see it by themselves. */
  tellOthers(keys: readonly string[]): void
  /** After tables of users have grown by much: what the database supposes about them may lead it astray. */
  takeStock(): Promise<void>
  close(): Promise<void>
}

/** The database did not answer in time; trying again later may work. */
export class StoreUnavailableError extends Error {
  override readonly name = 'StoreUnavailableError'
}

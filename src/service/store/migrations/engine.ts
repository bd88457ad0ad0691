import type { Queryable } from '../schema.ts'

/** What the databases say differently in DDL, and how to ask them for a table. */
export interface Engine {
  /** The type of a primary key that only grows. */
  readonly sequence: string
  /** The type of text that is compared byte for byte. */
  readonly exactText: string
  readonly hasTable: (db: Queryable, table: string) => Promise<boolean>
}

import type { Queryable } from './schema.ts'

export type EngineName = 'sqlite' | 'postgres'

/** What the databases say differently in DDL, and how to ask them for their schema. */
export interface Engine {
  readonly name: EngineName
  /** The type of a primary key that only grows. */
  readonly sequence: string
  /** The type of text that is compared byte for byte. */
  readonly exactText: string
  /** What creates the search for people, and keeps it up to date. */
  readonly search: readonly string[]
  /** The same with a row for each device and hardware token. */
  readonly searchRows: readonly string[]
  /** The same without case and accents. */
  readonly foldedSearch: readonly string[]
  /** SQL for a column's text without case and accents, once `foldedSearch` is there. */
  readonly fold: (column: string) => string
  /** The triggers that keep the order of people. */
  readonly personOrder: readonly string[]
  /** The triggers that give memberships the order of their users. */
  readonly memberOrder: readonly string[]
  readonly personFacts: PersonFacts
  /** @throws {UnfitDatabaseError} where the database does not know characters. */
  readonly requireUnicode: (db: Queryable) => Promise<void>
  readonly hasTable: (db: Queryable, table: string) => Promise<boolean>
  /** Waits until no other process migrates the database, for the rest of the transaction. */
  readonly lockMigrations: (db: Queryable) => Promise<void>
  /** The columns of these tables and views. */
  readonly columns: (db: Queryable, owners: readonly string[]) => Promise<readonly Column[]>
  /** The columns of the indexes of these tables. */
  readonly indexes: (db: Queryable, owners: readonly string[]) => Promise<readonly IndexColumn[]>
}

/** The triggers that keep what filters ask about people. */
interface PersonFacts {
  /** What removes the triggers that did a part of it before. */
  readonly former: readonly string[]
  /** What creates them. @param places The columns of the user that codes are sent to. */
  readonly of: (places: readonly string[]) => readonly string[]
}

/** A column of a table or view. */
export interface Column {
  readonly owner: string
  readonly name: string
  /** Its type, whether it may be null, and its default. */
  readonly type: string
}

/** A column of an index. */
export interface IndexColumn {
  readonly owner: string
  readonly name: string
  /** Whether the index belongs to the table itself, as that of a primary key does; 0 or 1. */
  readonly inherent: number
  /** Whether the index is unique, and whether it is partial. */
  readonly type: string
  readonly position: number
  readonly member: string
}

import type { ColumnDataType, ColumnDefinitionBuilder, RawBuilder } from 'kysely'

import type { Queryable } from '../schema.ts'

/** What the engines say differently in DDL, and of it. */
export interface Engine {
  readonly sequenceType: ColumnDataType
  /** A primary key that only grows. */
  readonly sequence: (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder
  /** Text that is compared byte for byte. */
  readonly exactText: ColumnDataType | RawBuilder<unknown>
  readonly hasTable: (db: Queryable, table: string) => Promise<boolean>
}

import type { ColumnDataType, ColumnDefinitionBuilder, RawBuilder } from 'kysely'

/** What the engines say differently in DDL. */
export interface Engine {
  readonly sequenceType: ColumnDataType
  /** A primary key that only grows. */
  readonly sequence: (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder
  /** Text that is compared byte for byte. */
  readonly exactText: ColumnDataType | RawBuilder<unknown>
}

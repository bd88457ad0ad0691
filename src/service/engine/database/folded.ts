import { sql } from 'kysely'
import type { RawBuilder } from 'kysely'

import { sqliteFold } from './schema/fold.ts'
import type { Queryable } from './schema/schema.ts'
import { isPostgres } from './statement.ts'

/**
 * A text without case and accents, by the SQL that folds what searches compare it with. `lower` of SQLite knows only ASCII.
 * @param column As it is named in SQL.
 */
export const folded = (db: Queryable, column: string): RawBuilder<string> =>
  sql<string>`${sql.raw(isPostgres(db) ? `search_fold(${column})` : sqliteFold(column))}`

import { sql } from 'kysely'
import type { Expression, SqlBool } from 'kysely'

import type { Queryable } from './schema/schema.ts'
import { isPostgres } from './statement.ts'

/**
 * Whether a key is one of those that a subquery finds, such as the keys of a page. PostgreSQL reads them first and looks for each of them:
 * a join, planned for any page, may walk through the whole table.
 */
export const isFoundBy = (db: Queryable, key: Expression<number>, found: Expression<unknown>) =>
  isPostgres(db) ? sql<SqlBool>`${key} = any(array${found})` : sql<SqlBool>`${key} in ${found}`

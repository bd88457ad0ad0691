import { expressionBuilder, sql } from 'kysely'
import type { Expression, ExpressionBuilder, RawBuilder, SelectQueryBuilder, SqlBool } from 'kysely'

import type { Database, Queryable } from './schema/schema.ts'
import { isPostgres } from './statement.ts'

// Sweeps build their statements at each step, once a minute, where that costs nothing.

/** Rows that one step of a sweep changes or removes, at most. On SQLite everybody else waits meanwhile. */
export const sweepStep = 500

/** Whether a row is due. */
export type IsDue<T extends keyof Database> = (is: ExpressionBuilder<Database, T>) => Expression<SqlBool>

/** The columns that identify a row of a table. */
export type Key<T extends keyof Database> = readonly (keyof Database[T] & string)[]

/** Removes rows of a table that are due, some at a time. */
export const removal =
  <T extends keyof Database>(
    table: T,
    key: Key<T>,
    isDue: (is: ExpressionBuilder<Database, T>, now: number) => Expression<SqlBool>,
  ) =>
  (db: Queryable, now: number): Promise<number> =>
    removeSome(db, table, key, (is) => isDue(is, now))

/** Removes some of the rows that are due. @returns how many; fewer than `sweepStep` where none is left. */
export async function removeSome<T extends keyof Database>(db: Queryable, table: T, key: Key<T>, isDue: IsDue<T>) {
  const removed = await sql`delete from ${sql.table(table)} where ${isSome(db, table, key, isDue)}`.execute(db)
  return Number(removed.numAffectedRows)
}

/** Changes some of the rows that are due. @returns how many; fewer than `sweepStep` where none is left. */
export async function changeSome<T extends keyof Database>(
  db: Queryable,
  table: T,
  key: Key<T>,
  isDue: IsDue<T>,
  values: { readonly [C in keyof Database[T]]?: unknown },
): Promise<number> {
  const columns = Object.entries(values).map(([column, value]) => sql`${sql.ref(column)} = ${value}`)
  const update = sql`update ${sql.table(table)} set ${sql.join(columns)} where ${isSome(db, table, key, isDue)}`
  return Number((await update.execute(db)).numAffectedRows)
}

/** Whether a row is one of some that are due. */
export function isSome<T extends keyof Database>(
  db: Queryable,
  table: T,
  key: Key<T>,
  isDue: IsDue<T>,
  limit?: number,
): RawBuilder<SqlBool> {
  const columns = sql.join(key.map((column) => sql.ref(column)))
  // Whichever table it is, it has the columns of its key.
  const rows = db.selectFrom(table as 'user').select(key as readonly 'id'[])
  return sql`(${columns}) in ${someOf(db, rows.where(isDue(expressionBuilder<Database, T>())), limit)}`
}

/**
 * Some of the rows that a query finds, as an operand of `in`. On PostgreSQL it skips rows that another transaction is
 * changing, so that neither of two sweeps, nor a request, waits for the other. Materialized, because PostgreSQL may execute
 * a plain subquery more than once and would then find other rows each time.
 */
export function someOf<T extends keyof Database, O>(
  db: Queryable,
  query: SelectQueryBuilder<Database, T, O>,
  limit: number = sweepStep,
): RawBuilder<O[keyof O]> {
  const limited = query.limit(limit)
  const rows = isPostgres(db) ? limited.forUpdate().skipLocked() : limited
  return sql`(with due as materialized ${rows} select * from due)`
}

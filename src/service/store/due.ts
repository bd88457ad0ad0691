import { PostgresAdapter, sql } from 'kysely'
import type { RawBuilder, SelectQueryBuilder, SqlBool } from 'kysely'

import type { Database, Queryable } from './schema.ts'

// Sweeps build their statements at each step, once a minute, where that costs nothing.

/** Rows that one step of a sweep changes or removes, at most. On SQLite everybody else waits meanwhile. */
export const sweepStep = 500

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
  const found = isPostgres(db) ? limited.forUpdate().skipLocked() : limited
  return sql`(with due as materialized ${found} select * from due)`
}

/** The same where rows have a key of several columns, as a condition. */
export function isSomeOf<T extends keyof Database, O>(
  db: Queryable,
  key: readonly (keyof O & string)[],
  query: SelectQueryBuilder<Database, T, O>,
  limit: number = sweepStep,
): RawBuilder<SqlBool> {
  return sql`(${sql.join(key.map((column) => sql.ref(column)))}) in ${someOf(db, query, limit)}`
}

const isPostgres = (db: Queryable): boolean => db.getExecutor().adapter instanceof PostgresAdapter

/** How many rows a statement has removed. */
export const removedBy = ({ numDeletedRows }: { readonly numDeletedRows: bigint }): number => Number(numDeletedRows)

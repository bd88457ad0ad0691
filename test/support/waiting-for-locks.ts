import { sql } from 'kysely'

import type { Queryable } from '../../src/service/engine/database/schema/schema.ts'

/** How many transactions of a PostgreSQL database wait for a row that another one has locked. */
export async function waitingForLocks(db: Queryable): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(distinct pid)::int as count from pg_locks where not granted
    and pid in (select pid from pg_stat_activity where datname = current_database())`.execute(db)
  return rows[0]?.count ?? 0
}

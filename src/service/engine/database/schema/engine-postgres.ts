import { sql } from 'kysely'

import { UnfitDatabaseError } from '../../base/store-errors.ts'
import type { Column, Engine, IndexColumn } from './engine.ts'
import { postgresFoldedSearch } from './folded-search-postgres.ts'
import { postgresMemberOrder } from './member-order.ts'
import { postgresPersonFacts } from './person-facts-postgres.ts'
import { postgresPersonOrder } from './person-order-postgres.ts'
import { postgresSearchRows } from './search-rows-postgres.ts'
import { postgresSearch } from './search-postgres.ts'

/** The advisory lock that earlier builds take when they migrate: the one of Kysely's migrator. */
const migrationLock = 3_853_314_791_062_309_107n

export const postgresEngine: Engine = {
  name: 'postgres',
  sequence: 'bigserial primary key',
  // Byte for byte, and whatever the database's own rules for words are.
  exactText: 'text collate "C"',
  search: postgresSearch,
  searchRows: postgresSearchRows,
  foldedSearch: postgresFoldedSearch,
  fold: (column) => `search_fold(${column})`,
  personOrder: postgresPersonOrder,
  memberOrder: postgresMemberOrder,
  personFacts: postgresPersonFacts,
  async requireUnicode(db) {
    const { rows } = await sql<{ encoding: string }>`
      select current_setting('server_encoding') as encoding`.execute(db)
    if (rows[0]?.encoding === 'UTF8') return
    // Searching would cut letters into bytes.
    throw new UnfitDatabaseError(
      `The database has the encoding ${rows[0]?.encoding} and not UTF8. Create it with: createdb --encoding=UTF8 --template=template0`,
    )
  },
  async hasTable(db, table) {
    const { rows } = await sql<{ found: boolean }>`select to_regclass(${table}) is not null as found`.execute(db)
    return rows[0]?.found === true
  },
  async lockMigrations(db) {
    await sql`select pg_advisory_xact_lock(${sql.lit(migrationLock)})`.execute(db)
  },
  async columns(db, owners) {
    const { rows } = await sql<Column>`
      select t.relname as owner, a.attname as name,
        concat_ws(' ', format_type(a.atttypid, a.atttypmod), l.collname, a.attnotnull,
          regexp_replace(pg_get_expr(d.adbin, d.adrelid), '^nextval.*', 'nextval')) as type
      from pg_class t
        join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
        left join pg_attrdef d on d.adrelid = t.oid and d.adnum = a.attnum
        left join pg_collation l on l.oid = a.attcollation
      where pg_table_is_visible(t.oid) and t.relname in (${sql.join(owners)})`.execute(db)
    return rows
  },
  async indexes(db, owners) {
    const { rows } = await sql<IndexColumn>`
      select t.relname as owner, i.relname as name, x.indisprimary::int as inherent,
        concat_ws(' ', x.indisunique, x.indpred is not null) as type, k.position::int as position, a.attname as member
      from pg_index x
        join pg_class i on i.oid = x.indexrelid
        join pg_class t on t.oid = x.indrelid
        cross join unnest(x.indkey::int2[]) with ordinality k (attnum, position)
        join pg_attribute a on a.attrelid = t.oid and a.attnum = k.attnum
      where pg_table_is_visible(t.oid) and t.relname in (${sql.join(owners)})`.execute(db)
    return rows
  },
}

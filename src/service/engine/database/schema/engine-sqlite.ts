import { sql } from 'kysely'

import type { Column, Engine, IndexColumn } from './engine.ts'
import { sqliteFold } from './fold.ts'
import { sqliteFoldedSearch } from './folded-search-sqlite.ts'
import { sqliteMemberOrder } from './member-order.ts'
import { sqlitePersonFacts } from './person-facts-sqlite.ts'
import { sqlitePersonOrder } from './person-order-sqlite.ts'
import { sqliteSearchRows } from './search-rows-sqlite.ts'
import { sqliteSearch } from './search-sqlite.ts'

export const sqliteEngine: Engine = {
  name: 'sqlite',
  // Always: better-sqlite3 creates files in UTF-8.
  requireUnicode: () => Promise.resolve(),
  sequence: 'integer primary key autoincrement',
  exactText: 'text',
  search: sqliteSearch,
  searchRows: sqliteSearchRows,
  foldedSearch: sqliteFoldedSearch,
  fold: sqliteFold,
  personOrder: sqlitePersonOrder,
  memberOrder: sqliteMemberOrder,
  personFacts: sqlitePersonFacts,
  async hasTable(db, table) {
    const { rows } = await sql`select 1 from sqlite_master where type = 'table' and name = ${table}`.execute(db)
    return rows.length > 0
  },
  // Its transactions that change something begin with the lock of the whole database.
  lockMigrations: () => Promise.resolve(),
  async columns(db, owners) {
    // The types of a view's columns differ between versions of SQLite. Names of tables differ by more than their case.
    const { rows } = await sql<Column>`
      select m.name as owner, c.name as name,
        case m.type when 'view' then '' else
          lower(c.type) || ' ' || c."notnull" || ' ' || coalesce(c.dflt_value, '') || ' ' || c.pk end as type
      from sqlite_master m join pragma_table_info(m.name) c
      where m.type in ('table', 'view') and lower(m.name) in (${sql.join(owners)})`.execute(db)
    return rows
  },
  async indexes(db, owners) {
    const { rows } = await sql<IndexColumn>`
      select m.name as owner, i.name as name, i.origin <> 'c' as inherent, i."unique" || ' ' || i.partial as type,
        c.seqno as position, coalesce(c.name, '') as member
      from sqlite_master m join pragma_index_list(m.name) i join pragma_index_info(i.name) c
      where m.type = 'table' and m.name in (${sql.join(owners)})`.execute(db)
    return rows
  },
}

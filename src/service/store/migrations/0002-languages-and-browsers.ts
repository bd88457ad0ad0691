import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Columns for the language of mails, and for the list of remembered browsers. */
export const languagesAndBrowsers: Migration = {
  async up(db) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}

const statements = [
  'alter table "user" add column language text',
  'alter table known_browser add column name text',
  'alter table known_browser add column known_since bigint',
  'alter table known_browser add column seen_at bigint',
]

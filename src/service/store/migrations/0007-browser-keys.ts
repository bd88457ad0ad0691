import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** The keys of browsers that users keep, and whether a session came from such a browser. */
export const browserKeys: Migration = {
  async up(db) {
    for (const statement of statements) await sql.raw(statement).execute(db)
  },
}

const statements = [
  'alter table known_browser add column public_key text',
  'alter table known_browser add column kept_since bigint',
  'alter table known_browser add column kept_until bigint',
  'alter table known_browser add column place text',
  'alter table session add column browser text',
]

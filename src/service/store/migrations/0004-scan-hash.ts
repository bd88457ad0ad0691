import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** The secret of the code that is scanned in place of the matching number, as its hash. */
export const scanHash: Migration = {
  async up(db) {
    await sql`alter table session add column scan_hash text`.execute(db)
  },
}

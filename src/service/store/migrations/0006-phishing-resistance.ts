import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** The policy of a domain, and the one that a session was created under; null for `off`. */
export const phishingResistance: Migration = {
  async up(db) {
    await sql`alter table domain add column phishing_resistant text default 'off' not null`.execute(db)
    await sql`alter table session add column phishing_resistant text`.execute(db)
  },
}

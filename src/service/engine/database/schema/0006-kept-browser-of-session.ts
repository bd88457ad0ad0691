import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Which kept browser a session came from, so that a report ends that browser, and no other one. */
export const keptBrowserOfSession: Migration = {
  async up(db) {
    await sql.raw('alter table session add column kept_browser text').execute(db)
  },
}

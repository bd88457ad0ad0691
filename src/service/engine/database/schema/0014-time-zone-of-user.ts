import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Adds the time zone in which the mails to a user tell times; null where neither app nor browser has said it. */
export const timeZoneOfUser: Migration = {
  async up(db) {
    await sql.raw('alter table "user" add column time_zone text').execute(db)
  },
}

import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * Which browser of the app a session came from, so that its newer request replaces it, and whether the user has passed there before.
 * And whether the challenge that has set up a device has asked it. Present devices were asked long ago.
 */
export const browserOfSession: Migration = {
  async up(db) {
    await sql.raw('alter table session add column binding text').execute(db)
    await sql.raw('alter table session add column passed_before integer').execute(db)
    await sql.raw('alter table device add column greeted integer default 0 not null').execute(db)
    await sql.raw('update device set greeted = 1').execute(db)
  },
}

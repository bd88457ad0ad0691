import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** When the present activation code of a token was sent by mail. */
export const enrollmentMails: Migration = {
  async up(db) {
    await sql.raw('alter table token add column mailed_at bigint').execute(db)
  },
}

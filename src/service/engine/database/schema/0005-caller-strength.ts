import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** What a person typed on the device that verified a caller. Of earlier verifications nothing is known, so they count as the weakest. */
export const callerStrength: Migration = {
  async up(db) {
    await sql.raw("alter table caller_verification add column key_type text not null default 'NONE'").execute(db)
  },
}

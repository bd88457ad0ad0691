import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Finds the hardware tokens that are out of sync. The index has only these, so that other codes do not write it. */
export const stockSearch: Migration = {
  async up(db) {
    await sql
      .raw("create index code_generator_out_of_sync on code_generator (id) where sync_state = 'Out of Sync'")
      .execute(db)
  },
}

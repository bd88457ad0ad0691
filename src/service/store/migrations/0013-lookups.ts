import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

import type { Engine } from './engine.ts'

/**
 * The key that look-alike usernames have in common, and indexes for what a sweep removes. It runs every few minutes beside the sign-ins: without them it reads every token,
 * bypass code and attempt each time, and on SQLite nobody else is served meanwhile.
 */
export const lookups = (engine: Engine): Migration => ({
  async up(db) {
    // Not unique: names that look alike may be there, as whoever administers the users wants it.
    await db.schema
      .alterTable('user')
      .addColumn('name_key', engine.exactText, (column) => column.notNull().defaultTo(''))
      .execute()
    await db.schema.createIndex('user_name_key').on('user').columns(['organization_id', 'name_key']).execute()

    await sql`create index token_expired on token (code_expires_at) where code_expires_at is not null`.execute(db)
    await sql`create index token_replacement_expired on token (replacement_expires_at)
      where replacement_expires_at is not null`.execute(db)
    await db.schema.createIndex('bypass_code_used').on('bypass_code').column('uses_remaining').execute()
    await db.schema.createIndex('attempt_old').on('attempt').column('at').execute()

    // With the devices in use in it, PostgreSQL takes it to find the one of a user among all of them.
    await db.schema.dropIndex('device_revoked').execute()
    await sql`create index device_revoked on device (revoked_at) where revoked_at is not null`.execute(db)
  },
})

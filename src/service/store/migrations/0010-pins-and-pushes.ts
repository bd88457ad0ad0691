import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** What a device is unlocked with, how often that was mistyped, and where messages for it go. */
export const pinsAndPushes: Migration = {
  async up(db) {
    await db.schema.alterTable('device').addColumn('pin', 'text').execute()
    await db.schema
      .alterTable('device')
      .addColumn('pin_tries', 'integer', (column) => column.notNull().defaultTo(0))
      .execute()
    await db.schema.alterTable('device').addColumn('pin_attempt', 'text').execute()
    await db.schema.alterTable('device').addColumn('pin_wrong', 'text').execute()
    await db.schema.alterTable('device').addColumn('push', 'text').execute()

    // Who was taken out of use a moment ago is looked for often.
    await db.schema.createIndex('device_revoked').on('device').column('revoked_at').execute()

    await db.schema
      .createTable('push_key')
      .addColumn('row', 'integer', (column) => column.primaryKey().check(sql`"row" = 1`))
      .addColumn('public_key', 'text', (column) => column.notNull())
      .addColumn('private_key', 'text', (column) => column.notNull())
      .execute()
  },
}

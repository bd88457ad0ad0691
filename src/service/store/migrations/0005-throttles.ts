import type { Migration } from 'kysely/migration'

/** What is counted so that nobody guesses: wrong codes of a user in a row, and wrong codes of one challenge. */
export const throttles: Migration = {
  async up(db) {
    await db.schema
      .alterTable('user')
      .addColumn('code_failures', 'integer', (column) => column.notNull().defaultTo(0))
      .execute()
    await db.schema.alterTable('user').addColumn('codes_locked_until', 'bigint').execute()

    await db.schema
      .createTable('challenge_try')
      .addColumn('challenge', 'text', (column) => column.primaryKey())
      .addColumn('failures', 'integer', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema.createIndex('challenge_try_expired').on('challenge_try').column('expires_at').execute()
  },
}

import type { Migration } from 'kysely/migration'

/** Browsers in which users have passed the second step, and the second budget of requests from them. */
export const knownBrowsers: Migration = {
  async up(db) {
    await db.schema
      .createTable('known_browser')
      .addColumn('id_hash', 'text', (column) => column.notNull())
      .addColumn('domain_id', 'text', (column) => column.notNull().references('domain.id'))
      .addColumn('user_id', 'text', (column) => column.notNull().references('user.id'))
      .addColumn('factors', 'text', (column) => column.notNull())
      .addColumn('passed_at', 'bigint', (column) => column.notNull())
      .addColumn('expires_at', 'bigint', (column) => column.notNull())
      .addColumn('remembered_until', 'bigint')
      .addPrimaryKeyConstraint('known_browser_user', ['id_hash', 'domain_id', 'user_id'])
      .execute()
    await db.schema.createIndex('known_browser_of_user').on('known_browser').columns(['user_id', 'passed_at']).execute()
    await db.schema.createIndex('known_browser_expired').on('known_browser').column('expires_at').execute()

    await db.schema
      .alterTable('user')
      .addColumn('known_code_failures', 'integer', (column) => column.notNull().defaultTo(0))
      .execute()
    await db.schema.alterTable('user').addColumn('known_codes_locked_until', 'bigint').execute()
    // Browsers are ended one by one now.
    await db.schema.alterTable('user').dropColumn('browsers_forgotten').execute()

    await db.schema
      .alterTable('session')
      .addColumn('known_browser', 'integer', (column) => column.notNull().defaultTo(0))
      .execute()
  },
}

import type { Migration } from 'kysely/migration'

/** What an API key may do, and where. */
export const roles: Migration = {
  async up(db) {
    await db.schema
      .alterTable('api_key')
      .addColumn('role', 'text', (column) => column.notNull().defaultTo('admin'))
      .execute()
    await db.schema
      .alterTable('api_key')
      .addColumn('domain_id', 'text', (column) => column.references('domain.id'))
      .execute()
  },
}

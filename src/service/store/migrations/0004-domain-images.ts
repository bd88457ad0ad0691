import type { Migration } from 'kysely/migration'

/** The images that domains have of their own. */
export const domainImages: Migration = {
  async up(db) {
    await db.schema
      .createTable('domain_image')
      .addColumn('domain_id', 'text', (column) => column.primaryKey().references('domain.id'))
      .addColumn('png', 'text', (column) => column.notNull())
      .addColumn('etag', 'text', (column) => column.notNull())
      .execute()
  },
}

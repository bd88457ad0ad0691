import type { Migration } from 'kysely/migration'

/** How often a user had all remembered browsers forgotten: what was remembered before is worth nothing. */
export const rememberedBrowsers: Migration = {
  async up(db) {
    await db.schema
      .alterTable('user')
      .addColumn('browsers_forgotten', 'integer', (column) => column.notNull().defaultTo(0))
      .execute()
  },
}

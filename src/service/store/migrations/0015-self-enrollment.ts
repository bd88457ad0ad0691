import type { Migration } from 'kysely/migration'

/** Pending tokens know whether a page shows their code, or an administrator hands it over. */
export const selfEnrollment: Migration = {
  async up(db) {
    await db.schema
      .alterTable('token')
      .addColumn('self_enrollment', 'integer', (column) => column.notNull().defaultTo(0))
      .execute()
  },
}

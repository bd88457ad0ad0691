import type { Migration } from 'kysely/migration'

/** Synchronizations of a domain are applied in the order in which they arrived; an older one never follows a newer one. */
export const synchronizationOrder: Migration = {
  async up(db) {
    for (const column of ['synchronization_ticket', 'synchronization_applied']) {
      await db.schema
        .alterTable('domain')
        .addColumn(column, 'bigint', (type) => type.notNull().defaultTo(0))
        .execute()
    }
    await db.schema.alterTable('synchronisation').addColumn('holder_process', 'text').execute()
  },
}

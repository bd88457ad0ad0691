import type { Migration } from 'kysely/migration'

/** A time that a wrong clock cannot move: what the audit trail is shortened by. */
export const trustedClock: Migration = {
  async up(db) {
    await db.schema
      .createTable('trusted_clock')
      .addColumn('row', 'integer', (column) => column.primaryKey())
      .addColumn('trusted_at', 'bigint', (column) => column.notNull())
      .addColumn('wall_at', 'bigint', (column) => column.notNull())
      .addColumn('agreed', 'bigint', (column) => column.notNull())
      .addColumn('pruned_on', 'bigint', (column) => column.notNull())
      .addColumn('prune_budget', 'bigint', (column) => column.notNull())
      .execute()
  },
}

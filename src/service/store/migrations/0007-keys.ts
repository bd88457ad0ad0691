import type { Migration } from 'kysely/migration'

/** With which keys secrets are sealed, and which keys the nodes have that are running. */
export const keys: Migration = {
  async up(db) {
    await db.schema
      .createTable('key_check')
      .addColumn('key_id', 'text', (column) => column.primaryKey())
      .addColumn('sealed', 'text', (column) => column.notNull())
      .execute()

    await db.schema
      .createTable('key_node')
      .addColumn('id', 'text', (column) => column.primaryKey())
      .addColumn('name', 'text', (column) => column.notNull())
      .addColumn('key_ids', 'text', (column) => column.notNull())
      .addColumn('primary_id', 'text')
      .addColumn('primary_since', 'bigint')
      .addColumn('seen_at', 'bigint', (column) => column.notNull())
      .execute()
  },
}

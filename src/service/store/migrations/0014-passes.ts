import type { Migration } from 'kysely/migration'

/** What an approval is for, and with which factor exactly it was given. */
export const passes: Migration = {
  async up(db) {
    await db.schema.alterTable('session').addColumn('factor_id', 'text').execute()
    await db.schema
      .alterTable('session')
      .addColumn('passed', 'integer', (column) => column.notNull().defaultTo(0))
      .execute()
    await db.schema
      .alterTable('session')
      .addColumn('purpose', 'text', (column) => column.notNull().defaultTo('sign_in'))
      .execute()
    await db.schema
      .alterTable('device_history')
      .addColumn('purpose', 'text', (column) => column.notNull().defaultTo('sign_in'))
      .execute()
    await db.schema
      .alterTable('user')
      .addColumn('strong_enrolled', 'integer', (column) => column.notNull().defaultTo(0))
      .execute()
    await db.schema.alterTable('token').addColumn('granted_factor', 'text').execute()
    await db.schema.alterTable('token').addColumn('granted_factor_id', 'text').execute()
    await db.schema.alterTable('bypass_code').addColumn('used_at', 'bigint').execute()
  },
}

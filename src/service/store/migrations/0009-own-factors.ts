import type { Migration } from 'kysely/migration'

/** Factors that people set up, replace and give up by themselves. */
export const ownFactors: Migration = {
  async up(db) {
    await db.schema
      .alterTable('token')
      .addColumn('first_only', 'integer', (column) => column.notNull().defaultTo(0))
      .execute()
    await db.schema.alterTable('token').addColumn('replacement', 'text').execute()
    await db.schema.alterTable('token').addColumn('replacement_lookup', 'text').execute()
    await db.schema.alterTable('token').addColumn('replacement_expires_at', 'bigint').execute()
    await db.schema.createIndex('token_replacement').unique().on('token').column('replacement_lookup').execute()

    await db.schema
      .alterTable('device')
      .addColumn('moved', 'integer', (column) => column.notNull().defaultTo(0))
      .execute()

    await db.schema
      .alterTable('hardware_token')
      .addColumn('self_enrolled', 'integer', (column) => column.notNull().defaultTo(0))
      .execute()
  },
}

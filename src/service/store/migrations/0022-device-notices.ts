import type { Migration } from 'kysely/migration'

import type { Engine } from './engine.ts'

/** What devices are to show about changes of their user's factors. */
export function deviceNotices(engine: Engine): Migration {
  return {
    async up(db) {
      await db.schema
        .createTable('device_notice')
        .addColumn('sequence', engine.sequenceType, engine.sequence)
        .addColumn('id', 'text', (column) => column.notNull().unique())
        .addColumn('device_id', 'text', (column) => column.notNull())
        .addColumn('domain_id', 'text', (column) => column.notNull().references('domain.id'))
        .addColumn('kind', 'text', (column) => column.notNull())
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .execute()
      await db.schema
        .createIndex('device_notice_pending')
        .on('device_notice')
        .columns(['device_id', 'sequence'])
        .execute()
      await db.schema.createIndex('device_notice_created').on('device_notice').column('created_at').execute()
    },
  }
}

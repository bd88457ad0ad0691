import type { Migration } from 'kysely/migration'

import type { Engine } from './engine.ts'

/** What devices answered, for longer than their sessions can be read. */
export function deviceHistory(engine: Engine): Migration {
  return {
    async up(db) {
      await db.schema
        .createTable('device_history')
        .addColumn('sequence', engine.sequenceType, engine.sequence)
        .addColumn('session_id', 'text', (column) => column.notNull().unique())
        .addColumn('device_id', 'text', (column) => column.notNull())
        .addColumn('domain_id', 'text', (column) => column.notNull().references('domain.id'))
        .addColumn('user_id', 'text', (column) => column.notNull())
        .addColumn('attributes', 'text', (column) => column.notNull())
        .addColumn('ip_address', 'text')
        .addColumn('state', 'text', (column) => column.notNull())
        .addColumn('reason', 'text')
        .addColumn('created_at', 'bigint', (column) => column.notNull())
        .addColumn('settled_at', 'bigint', (column) => column.notNull())
        .execute()
      await db.schema
        .createIndex('device_history_page')
        .on('device_history')
        .columns(['device_id', 'sequence'])
        .execute()
      await db.schema.createIndex('device_history_settled').on('device_history').column('settled_at').execute()
    },
  }
}

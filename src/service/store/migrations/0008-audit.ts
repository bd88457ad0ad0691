import type { Migration } from 'kysely/migration'

import type { Engine } from './engine.ts'

/** Who did what when. No foreign keys: what was said of a thing stays when the thing goes. */
export function audit(engine: Engine): Migration {
  return {
    async up(db) {
      await db.schema
        .createTable('audit_writer')
        .addColumn('id', 'text', (column) => column.primaryKey())
        .addColumn('sequence', 'bigint', (column) => column.notNull())
        .addColumn('hash', 'text', (column) => column.notNull())
        .addColumn('start_sequence', 'bigint', (column) => column.notNull())
        .addColumn('start_hash', 'text', (column) => column.notNull())
        .addColumn('started_at', 'bigint', (column) => column.notNull())
        .addColumn('ended_at', 'bigint')
        .execute()

      await db.schema
        .createTable('audit')
        .addColumn('position', engine.sequenceType, engine.sequence)
        // Compared byte for byte: chains are read in this order.
        .addColumn('writer', engine.exactText, (column) => column.notNull())
        .addColumn('sequence', 'bigint', (column) => column.notNull())
        .addColumn('at', 'bigint', (column) => column.notNull())
        .addColumn('event', 'text', (column) => column.notNull())
        .addColumn('actor_kind', 'text', (column) => column.notNull())
        .addColumn('actor_id', 'text', (column) => column.notNull())
        .addColumn('organization_id', 'text')
        .addColumn('address', 'text')
        .addColumn('facts', 'text', (column) => column.notNull())
        .addColumn('hash', 'text', (column) => column.notNull())
        .addUniqueConstraint('audit_once', ['writer', 'sequence'])
        .execute()
      await db.schema.createIndex('audit_at').on('audit').column('at').execute()
    },
  }
}

import type { Migration } from 'kysely/migration'

import type { Engine } from './engine.ts'

/** What the web sessions of a user that have passed the second step are bound to, and who got another one lately. */
export function epochs(engine: Engine): Migration {
  return {
    async up(db) {
      await db.schema.alterTable('user').addColumn('epoch', 'text').execute()
      // The one that comes with the use of its code.
      await db.schema.alterTable('token').addColumn('replacement_epoch', 'text').execute()
      // No foreign keys: users that were deleted are among them.
      await db.schema
        .createTable('epoch_change')
        .addColumn('sequence', engine.sequenceType, engine.sequence)
        .addColumn('domain_id', 'text', (column) => column.notNull())
        .addColumn('user_id', 'text', (column) => column.notNull())
        .execute()
    },
  }
}

import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

import type { Engine } from './engine.ts'

/**
 * When locks and codes began: what is dated in the future, because a clock was ahead, is brought to the present. And what
 * a sweep needs to remove attempts a few at a time.
 */
export const lockStarts = (engine: Engine): Migration => ({
  async up(db) {
    await db.schema.alterTable('user').addColumn('codes_locked_at', 'bigint').execute()
    await db.schema.alterTable('user').addColumn('known_codes_locked_at', 'bigint').execute()
    for (const column of ['codes_locked_at', 'known_codes_locked_at', 'email_changed_at']) {
      await sql`create index ${sql.id(`user_${column}`)} on "user" (${sql.id(column)})
        where ${sql.id(column)} is not null`.execute(db)
    }

    await db.schema.createIndex('token_issued').on('token').column('created_at').execute()
    await db.schema.createIndex('bypass_code_created').on('bypass_code').column('created_at').execute()

    // Rows without a key of their own could be removed only all at once.
    await db.schema.dropTable('attempt').execute()
    await db.schema
      .createTable('attempt')
      .addColumn('sequence', engine.sequenceType, engine.sequence)
      .addColumn('scope', 'text', (column) => column.notNull())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .execute()
    await db.schema.createIndex('attempt_scope').on('attempt').columns(['scope', 'at']).execute()
    await db.schema.createIndex('attempt_old').on('attempt').column('at').execute()
  },
})

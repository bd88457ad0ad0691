import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

import type { Engine } from './engine.ts'

/** What people type instead of approving: codes of hardware tokens and devices, bypass codes, e-mailed codes. */
export function codes(engine: Engine): Migration {
  return {
    async up(db) {
      await createGenerators(db, engine)
      await createBypassCodes(db, engine)
      await createEmailCodes(db)
    },
  }
}

async function createGenerators(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('code_generator')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('seed', 'text', (column) => column.notNull())
    .addColumn('digits', 'integer', (column) => column.notNull())
    .addColumn('period', 'integer', (column) => column.notNull())
    .addColumn('last_step', 'bigint', (column) => column.notNull())
    .addColumn('drift', 'integer', (column) => column.notNull())
    .addColumn('seen_step', 'bigint')
    .addColumn('seen_at', 'bigint')
    .addColumn('sync_state', 'text', (column) => column.notNull())
    .execute()

  await db.schema
    .createTable('hardware_token')
    .addColumn('sequence', engine.sequenceType, engine.sequence)
    .addColumn('id', 'text', (column) => column.notNull().unique().references('code_generator.id'))
    .addColumn('organization_id', 'text', (column) => column.notNull().references('organization.id'))
    .addColumn('alias', 'text', (column) => column.notNull())
    .addColumn('serial_number', 'text', (column) => column.notNull())
    // A user has one at most.
    .addColumn('user_id', 'text', (column) => column.unique().references('user.id'))
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('hardware_token_serial_number', ['organization_id', 'serial_number'])
    .execute()
  await db.schema
    .createIndex('hardware_token_page')
    .on('hardware_token')
    .columns(['organization_id', 'sequence'])
    .execute()
}

async function createBypassCodes(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('bypass_code')
    .addColumn('sequence', engine.sequenceType, engine.sequence)
    .addColumn('id', 'text', (column) => column.notNull().unique())
    .addColumn('user_id', 'text', (column) => column.notNull().references('user.id'))
    .addColumn('code', 'text', (column) => column.notNull())
    .addColumn('code_lookup', 'text', (column) => column.notNull())
    .addColumn('uses_allowed', 'integer', (column) => column.notNull())
    .addColumn('uses_remaining', 'integer', (column) => column.notNull().check(sql`uses_remaining >= 0`))
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('bypass_code_once', ['user_id', 'code_lookup'])
    .execute()
  await db.schema.createIndex('bypass_code_expired').on('bypass_code').column('expires_at').execute()
}

async function createEmailCodes(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('user').addColumn('email_changed_at', 'bigint').execute()

  await db.schema
    .createTable('email_code')
    .addColumn('domain_id', 'text', (column) => column.notNull().references('domain.id'))
    .addColumn('user_id', 'text', (column) => column.notNull().references('user.id'))
    .addColumn('code_lookup', 'text', (column) => column.notNull())
    .addColumn('wrong_tries', 'integer', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('email_code_newest', ['domain_id', 'user_id'])
    .execute()
  await db.schema.createIndex('email_code_user').on('email_code').column('user_id').execute()
  await db.schema.createIndex('email_code_expired').on('email_code').column('expires_at').execute()
}

import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

import type { Engine } from './engine.ts'

/** Everything the way from a password to an approval needs. */
export function mainPath(engine: Engine): Migration {
  return {
    async up(db) {
      await createOwners(db)
      await createUsers(db, engine)
      await createTokens(db)
      await createSessions(db, engine)
      await createLimits(db)
    },
  }
}

async function createOwners(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('service')
    .addColumn('row', 'integer', (column) => column.primaryKey().check(sql`"row" = 1`))
    .addColumn('id', 'text', (column) => column.notNull())
    .execute()

  await db.schema
    .createTable('organization')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull().unique())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()

  await db.schema
    .createTable('api_key')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) => column.notNull().references('organization.id'))
    .addColumn('hash', 'text', (column) => column.notNull().unique())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .execute()

  await db.schema
    .createTable('domain')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('organization_id', 'text', (column) => column.notNull().references('organization.id'))
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('key_type', 'text', (column) => column.notNull())
    .addColumn('max_allowed_retries', 'integer', (column) => column.notNull())
    .addColumn('request_timeout', 'integer', (column) => column.notNull())
    .addColumn('activation_code_expiration', 'integer', (column) => column.notNull())
    .addColumn('request_polling_enabled', 'integer', (column) => column.notNull())
    .addColumn('bypass_enabled', 'integer', (column) => column.notNull())
    .addColumn('email_otp_enabled', 'integer', (column) => column.notNull())
    .addColumn('number_matching', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('domain_name', ['organization_id', 'name'])
    .execute()
}

async function createUsers(db: Kysely<unknown>, engine: Engine): Promise<void> {
  await db.schema
    .createTable('user')
    .addColumn('sequence', engine.sequenceType, engine.sequence)
    .addColumn('id', 'text', (column) => column.notNull().unique())
    .addColumn('organization_id', 'text', (column) => column.notNull().references('organization.id'))
    .addColumn('username', engine.exactText, (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('email', 'text', (column) => column.notNull())
    .addColumn('ever_enrolled', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('user_username', ['organization_id', 'username'])
    .execute()
  await db.schema.createIndex('user_page').on('user').columns(['organization_id', 'sequence']).execute()

  await db.schema
    .createTable('membership')
    .addColumn('sequence', engine.sequenceType, engine.sequence)
    .addColumn('domain_id', 'text', (column) => column.notNull().references('domain.id'))
    .addColumn('user_id', 'text', (column) => column.notNull().references('user.id'))
    .addUniqueConstraint('membership_once', ['domain_id', 'user_id'])
    .execute()
  await db.schema.createIndex('membership_user').on('membership').column('user_id').execute()
}

async function createTokens(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('token')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('domain_id', 'text', (column) => column.notNull().references('domain.id'))
    .addColumn('user_id', 'text', (column) => column.notNull().references('user.id'))
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('code', 'text')
    .addColumn('code_lookup', 'text', (column) => column.unique())
    .addColumn('code_expires_at', 'bigint')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('activated_at', 'bigint')
    .addUniqueConstraint('token_once', ['domain_id', 'user_id'])
    .execute()
  await db.schema.createIndex('token_user').on('token').column('user_id').execute()

  // No foreign keys: a device outlives its token, domain and user to be told that it was revoked.
  await db.schema
    .createTable('device')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('token_id', 'text', (column) => column.notNull())
    .addColumn('domain_id', 'text', (column) => column.notNull())
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('key_x', 'text', (column) => column.notNull())
    .addColumn('key_y', 'text', (column) => column.notNull())
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('revoked_at', 'bigint')
    .execute()
  await db.schema.createIndex('device_token').on('device').column('token_id').execute()
  await db.schema.createIndex('device_user').on('device').column('user_id').execute()
}

async function createSessions(db: Kysely<unknown>, engine: Engine): Promise<void> {
  // No foreign key on the user: who waits for a session of a deleted user reads that it was cancelled.
  await db.schema
    .createTable('session')
    .addColumn('sequence', engine.sequenceType, engine.sequence)
    .addColumn('id', 'text', (column) => column.notNull().unique())
    .addColumn('domain_id', 'text', (column) => column.notNull().references('domain.id'))
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('device_id', 'text')
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('reason', 'text')
    .addColumn('factor', 'text')
    .addColumn('number', 'text')
    .addColumn('nonce', 'text', (column) => column.notNull())
    .addColumn('attributes', 'text', (column) => column.notNull())
    .addColumn('ip_address', 'text')
    .addColumn('challenge', 'text')
    .addColumn('created_at', 'bigint', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addColumn('settled_at', 'bigint')
    .addColumn('redeemed_at', 'bigint')
    .addColumn('answered_decision', 'text')
    .addColumn('answered_number', 'text')
    .execute()
  await db.schema.createIndex('session_device').on('session').columns(['device_id', 'state']).execute()
  await db.schema.createIndex('session_user').on('session').columns(['user_id', 'state']).execute()
  await db.schema.createIndex('session_pending').on('session').columns(['state', 'expires_at']).execute()
  await db.schema.createIndex('session_settled').on('session').column('settled_at').execute()
}

async function createLimits(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('device_call')
    .addColumn('device_id', 'text', (column) => column.notNull())
    .addColumn('jti', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('device_call_once', ['device_id', 'jti'])
    .execute()
  await db.schema.createIndex('device_call_expired').on('device_call').column('expires_at').execute()

  await db.schema
    .createTable('attempt')
    .addColumn('scope', 'text', (column) => column.notNull())
    .addColumn('at', 'bigint', (column) => column.notNull())
    .execute()
  await db.schema.createIndex('attempt_scope').on('attempt').columns(['scope', 'at']).execute()
}

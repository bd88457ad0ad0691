import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** What limits by address count: tries in stretches of time, and which network asked whom. */
export const sharedAddresses: Migration = {
  async up(db) {
    await db.schema
      .createTable('tally')
      .addColumn('scope', 'text', (column) => column.notNull())
      .addColumn('at', 'bigint', (column) => column.notNull())
      .addColumn('count', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('tally_key', ['scope', 'at'])
      .execute()
    await db.schema.createIndex('tally_at').on('tally').column('at').execute()

    await db.schema.alterTable('session').addColumn('network', 'text').execute()
    await db.schema
      .createIndex('session_network')
      .on('session')
      .columns(['domain_id', 'network', 'created_at'])
      .where(sql.ref('network'), 'is not', null)
      .execute()
  },
}

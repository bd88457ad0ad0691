import { sql } from 'kysely'
import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/**
 * Changes of many memberships at once. They are written down in many small steps, each naming the synchronisation it
 * belongs to, and count from the moment at which that one row says that it is applied.
 */
export const synchronisation: Migration = {
  async up(db) {
    await createTables(db)
    await createMarks(db)
    await createMember(db)
  },
}

async function createTables(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('synchronisation')
    .addColumn('id', 'text', (column) => column.primaryKey())
    // One at a time: users are the organization's.
    .addColumn('organization_id', 'text', (column) => column.notNull().unique().references('organization.id'))
    .addColumn('domain_id', 'text', (column) => column.notNull().references('domain.id'))
    .addColumn('holder', 'text', (column) => column.notNull())
    .addColumn('beat_at', 'bigint', (column) => column.notNull())
    .addColumn('applied_at', 'bigint')
    .execute()

  await db.schema
    .createTable('synchronised_user')
    .addColumn('synchronisation_id', 'text', (column) => column.notNull().references('synchronisation.id'))
    .addColumn('user_id', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('email', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('synchronised_user_once', ['synchronisation_id', 'user_id'])
    .execute()
}

/** Which synchronisation a row belongs to. Once that one is over and its own row is gone, a mark means nothing. */
async function createMarks(db: Kysely<unknown>): Promise<void> {
  for (const [table, column] of [
    ['membership', 'added_by'],
    ['membership', 'removed_by'],
    ['user', 'added_by'],
  ] as const) {
    await db.schema.alterTable(table).addColumn(column, 'text').execute()
    await sql`create index ${sql.id(`${table}_${column}`)} on ${sql.table(table)} (${sql.id(column)})
      where ${sql.id(column)} is not null`.execute(db)
  }
}

/** The memberships that count. The one place that says so: whatever reads memberships reads these. */
async function createMember(db: Kysely<unknown>): Promise<void> {
  await sql`create view member as select sequence, domain_id, user_id from membership
    where (added_by is null or added_by not in (select id from synchronisation where applied_at is null))
    and (removed_by is null or removed_by not in (select id from synchronisation where applied_at is not null))
  `.execute(db)
}

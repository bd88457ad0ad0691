import type { Migration } from 'kysely/migration'

/** Which names `embedded()` gave: those follow the app's name, and those of an administrator do not. */
export const appNames: Migration = {
  async up(db) {
    await db.schema.alterTable('organization').addColumn('app_name', 'text').execute()
    await db.schema.alterTable('domain').addColumn('app_name', 'text').execute()
  },
}

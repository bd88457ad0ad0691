import type { Migration } from 'kysely/migration'

/** The words and the base path of the REST interface, for services that serve it to clients that know others. */
export const interfaceWords: Migration = {
  async up(db) {
    for (const column of ['scheme', 'media_type', 'base_path']) {
      await db.schema.alterTable('service').addColumn(column, 'text').execute()
    }
  },
}

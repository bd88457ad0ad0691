import { sql } from 'kysely'
import type { Migration } from 'kysely/migration'

/** A decision about an API key finds the keys of its organization without reading those of others. */
export const apiKeyOfOrganization: Migration = {
  async up(db) {
    await sql.raw('create index api_key_of_organization on api_key (organization_id, created_at, id)').execute(db)
  },
}

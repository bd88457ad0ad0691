import { Migrator } from 'kysely/migration'

import { StoreUnavailableError } from '../store.ts'
import type { Queryable } from '../schema.ts'
import { mainPath } from './0001-main-path.ts'
import type { Engine } from './engine.ts'

/** Brings the database to the present schema, in one transaction; several processes may try at once. */
export async function migrate(db: Queryable, engine: Engine): Promise<void> {
  const migrator = new Migrator({
    // Migrations write SQL's own names.
    db: db.withoutPlugins(),
    provider: { getMigrations: () => Promise.resolve({ '0001-main-path': mainPath(engine) }) },
  })
  const { error } = await migrator.migrateToLatest()
  if (error instanceof StoreUnavailableError) throw error
  if (error !== undefined) throw new Error('The database could not be brought to the present schema.', { cause: error })
}

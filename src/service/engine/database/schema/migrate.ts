import { NoDatabaseError } from '../../base/store-errors.ts'
import { countMigrations } from './applied-migrations.ts'
import type { Engine } from './engine.ts'
import { knownMigrations } from './known-migrations.ts'
import type { Queryable } from './schema.ts'

/**
 * Brings the database to the present schema, in one transaction; several processes may try at once.
 * @param create Whether an empty database gets one.
 * @returns whether it was empty.
 * @throws {NoDatabaseError} where it is empty and has to stay so.
 * @throws {NewerSchemaError} when a newer version has migrated it.
 * @throws {OtherBuildError} when its migrations were made by another build.
 * @throws {ForeignDatabaseError} when it has tables of another app.
 */
export async function migrate(db: Queryable, engine: Engine, create: boolean): Promise<boolean> {
  const count = await countMigrations(db, engine)
  if (count === 0 && !create) {
    const { requireNoOtherApp } = await import('./other-app.ts')
    await requireNoOtherApp(db, engine)
    throw new NoDatabaseError()
  }
  // Nothing to do, and no lock to wait for.
  if (count === knownMigrations.length) return false
  const { migrateToLatest } = await import('./migrate-to-latest.ts')
  await migrateToLatest(db, engine)
  return count === 0
}

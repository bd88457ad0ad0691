import { sql } from 'kysely'
import { Migrator } from 'kysely/migration'

import { NewerSchemaError, NoDatabaseError, StoreUnavailableError } from '../store.ts'
import type { Queryable } from '../schema.ts'
import { schema } from './0001-schema.ts'
import type { Engine } from './0001-schema.ts'

/**
 * Brings the database to the present schema, in one transaction; several processes may try at once.
 * @param create Whether an empty database gets one.
 * @returns whether it was empty.
 * @throws {NoDatabaseError} where it is empty and has to stay so.
 * @throws {NewerSchemaError} when a newer version has migrated it.
 */
export async function migrate(db: Queryable, engine: Engine, create: boolean): Promise<boolean> {
  const empty = !(await engine.hasTable(db, 'organization'))
  if (empty && !create) throw new NoDatabaseError()
  const known = migrations(engine)
  const migrator = new Migrator({
    // Migrations write SQL's own names.
    db: db.withoutPlugins(),
    provider: { getMigrations: () => Promise.resolve(known) },
  })
  // Most starts: nothing to do, and no lock to wait for.
  if (!empty && (await isPresent(db, Object.keys(known)))) return false
  const { error } = await migrator.migrateToLatest()
  if (error instanceof StoreUnavailableError) throw error
  if (error !== undefined) throw new Error('The database could not be brought to the present schema.', { cause: error })
  return empty
}

/**
 * Whether the database has the present schema.
 * @throws {NewerSchemaError} when the database has a migration that this version does not know.
 */
async function isPresent(db: Queryable, known: readonly string[]): Promise<boolean> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
  const newest = rows.at(-1)?.name
  if (newest === undefined || known.includes(newest)) return newest === known.at(-1)
  const [theirs, ours] = [newest, known.at(-1) ?? ''].map((name) => Number.parseInt(name, 10))
  throw new NewerSchemaError(
    `The database was made by a newer version of second-factor (schema ${theirs}, this one knows ${ours}). ` +
      'Install that version, or restore a backup from before the upgrade.',
  )
}

const migrations = (engine: Engine) => ({ '0001-schema': schema(engine) })

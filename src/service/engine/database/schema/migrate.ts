import { sql } from 'kysely'

import { NewerSchemaError, NoDatabaseError } from '../../base/store-errors.ts'
import type { Queryable } from './schema.ts'
import type { Engine } from './0001-schema.ts'

/** The names of the migrations, in their order. `migrations.ts` has their content, which most starts do not need. */
const knownMigrations = [
  '0001-schema',
  '0002-consent',
  '0003-consent-subject',
  '0004-search-rows',
  '0005-caller-strength',
  '0006-kept-browser-of-session',
  '0007-administrator-namesake',
  '0008-api-key-of-organization',
  '0009-folded-search',
  '0010-person-order',
  '0011-recovery-codes-of-user',
  '0012-browser-of-session',
  '0013-mail-report',
  '0014-time-zone-of-user',
  '0017-remembered-answer',
] as const

export type MigrationName = (typeof knownMigrations)[number]

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
  // Nothing to do, and no lock to wait for.
  if (!empty && (await isPresent(db))) return false
  const { migrateToLatest } = await import('./migrations.ts')
  await migrateToLatest(db, engine)
  return empty
}

/**
 * Whether the database has the present schema.
 * @throws {NewerSchemaError} when the database has a migration that this version does not know.
 */
async function isPresent(db: Queryable): Promise<boolean> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
  const newest = rows.at(-1)?.name
  if (newest === undefined || knownMigrations.some((name) => name === newest)) return newest === knownMigrations.at(-1)
  const [databaseVersion, codeVersion] = [newest, knownMigrations.at(-1) ?? ''].map((name) => Number.parseInt(name, 10))
  throw new NewerSchemaError(
    `The database was made by a newer version of second-factor (schema ${databaseVersion}, this one knows ${codeVersion}). ` +
      'Install that version, or restore a backup from before the upgrade.',
  )
}

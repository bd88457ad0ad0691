import { sql } from 'kysely'

import { NewerSchemaError, OtherBuildError } from '../../base/store-errors.ts'
import type { Engine } from './engine.ts'
import { knownMigrations } from './known-migrations.ts'
import { isMigration, refuseMoved } from './move-mark.ts'
import type { Queryable } from './schema.ts'

/** The table of applied migrations, by the name that Kysely's migrator gave it in earlier builds. */
export const migrationTable = 'kysely_migration'
const lastMigration = knownMigrations.at(-1)?.name ?? ''
/** A table of the first migration that no other app has. */
const ownTable = 'hardware_token'

/** How many migrations a database without hashes has at most. */
const maxWithoutHashes = knownMigrations.findIndex(({ name }) => name === '0015-migration-hash')

/**
 * Counts the migrations of a database, and compares them with those of this build.
 * @param options.moved Whether a database that was moved to another place is counted, too; otherwise it is refused.
 * @returns 0 where the database has none of this package's tables.
 * @throws {NewerSchemaError} when it has more than this build knows.
 * @throws {OtherBuildError} when they were made by another build.
 * @throws {MovedDatabaseError} when `database move` has copied it to another place.
 */
export async function countMigrations(db: Queryable, engine: Engine, { moved = false } = {}): Promise<number> {
  // This table appears together with the rows of the migrations, so it is looked for first.
  if (!(await engine.hasTable(db, ownTable))) return 0
  const rows = await readMigrations(db, engine)
  if (!moved) refuseMoved(rows)
  const applied = rows.filter(isMigration)
  const hashed = applied.length > maxWithoutHashes
  const differing = knownMigrations.slice(0, Math.max(1, applied.length)).find((known, index) => {
    const { name, hash } = applied[index] ?? {}
    return name !== known.name || (hashed && hash !== known[engine.name])
  })
  const newest = applied.at(-1)?.name ?? ''
  const isNewer = numberOf(newest) > numberOf(lastMigration)
  if (differing) throw otherBuild(`its migration ${differing.name} differs`, isNewer)
  if (isNewer) throw newerVersion(newest)
  if (applied.length > knownMigrations.length) throw otherBuild(`its migration ${newest} is unknown`)
  return applied.length
}

interface Applied {
  readonly name: string
  /** Absent before migration 0015. */
  readonly hash?: string | null
}

async function readMigrations(db: Queryable, engine: Engine): Promise<readonly Applied[]> {
  if (!(await engine.hasTable(db, migrationTable))) return []
  const { rows } = await sql<Applied>`select * from ${sql.table(migrationTable)} order by name`.execute(db)
  return rows
}

const numberOf = (name: string): number => Number.parseInt(name, 10)

const newerVersion = (newest: string) =>
  new NewerSchemaError(
    `The database was made by a newer version of second-factor (schema ${numberOf(newest)}, this one knows ` +
      `${numberOf(lastMigration)}). Install that version, or restore a backup from before the upgrade.`,
  )

/** @param difference What shows it. */
export const otherBuild = (difference: string, isNewer = false) =>
  new OtherBuildError(
    `The database was made by another build of second-factor${isNewer ? '' : ', not by a newer version'}: ${difference}. ` +
      'Open it with the build that made it, or restore a backup that this build made. To begin anew, create another ' +
      'database and import its users: second-factor user import.',
  )

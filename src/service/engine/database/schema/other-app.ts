import { sql } from 'kysely'

import { ForeignDatabaseError } from '../../base/store-errors.ts'
import { countMigrations, migrationTable } from './applied-migrations.ts'
import type { Engine } from './engine.ts'
import { migrations } from './migrations.ts'
import { ownObjects } from './own-objects.ts'
import type { Queryable } from './schema.ts'

/**
 * Looks at a database that has no migration of this package.
 * @throws {ForeignDatabaseError} when another app has tables whose names this package needs, or a table of migrations.
 */
export async function requireNoOtherApp(db: Queryable, engine: Engine): Promise<void> {
  const table = await tableOfOtherApp(db, engine)
  // Unless another process has created the database since it was looked at.
  if (table === undefined || (await countMigrations(db, engine)) > 0) return
  throw new ForeignDatabaseError(
    `The database is not one of second-factor: the table "${table}" belongs to another app. Choose another database.`,
  )
}

async function tableOfOtherApp(db: Queryable, engine: Engine): Promise<string | undefined> {
  const { owners } = ownObjects(Object.values(migrations(engine)).flat())
  const [column] = await engine.columns(db, [...owners])
  if (column) return column.owner
  return (await hasMigrations(db, engine)) ? migrationTable : undefined
}

async function hasMigrations(db: Queryable, engine: Engine): Promise<boolean> {
  if (!(await engine.hasTable(db, migrationTable))) return false
  return (await sql`select name from ${sql.table(migrationTable)} limit 1`.execute(db)).rows.length > 0
}

import { createHash } from 'node:crypto'

import { sql } from 'kysely'

import {
  ForeignDatabaseError,
  MovedDatabaseError,
  NewerSchemaError,
  OtherBuildError,
  StoreUnavailableError,
  UnfitDatabaseError,
} from '../../base/store-errors.ts'
import { countMigrations, migrationTable } from './applied-migrations.ts'
import type { Engine } from './engine.ts'
import { requireFormerSchema } from './former-schemas.ts'
import { knownMigrations } from './known-migrations.ts'
import { migrations } from './migrations.ts'
import { requireNoOtherApp } from './other-app.ts'
import type { Queryable } from './schema.ts'

const table = sql.table(migrationTable)

/** Runs in one transaction; several processes may try at once. */
export async function migrateToLatest(db: Queryable, engine: Engine): Promise<void> {
  requireUnedited(engine)
  try {
    // A serializable transaction of PostgreSQL would not see what was committed while it waited for the lock.
    await db
      .transaction()
      .setIsolationLevel('read committed')
      .execute((transaction) => migrateLocked(transaction, engine))
  } catch (error) {
    if (named.some((errorClass) => error instanceof errorClass)) throw error
    throw new Error('The database could not be brought to the present schema.', { cause: error })
  }
}

const named = [
  StoreUnavailableError,
  ForeignDatabaseError,
  MovedDatabaseError,
  NewerSchemaError,
  OtherBuildError,
  UnfitDatabaseError,
]

/** The same within a transaction, which nobody else sees until it ends. */
export async function migrateInside(db: Queryable, engine: Engine): Promise<void> {
  requireUnedited(engine)
  await migrateLocked(db, engine)
}

async function migrateLocked(db: Queryable, engine: Engine): Promise<void> {
  await engine.lockMigrations(db)
  const count = await countMigrations(db, engine)
  // All are there, and their hashes were compared.
  if (count === knownMigrations.length) return
  if (count === 0) await engine.requireUnicode(db)
  if (count === 0) await requireNoOtherApp(db, engine)
  else await requireFormerSchema(db, engine, count)
  await sql`create table if not exists ${table} (
    name varchar(255) not null primary key,
    timestamp varchar(255) not null
  )`.execute(db)
  for (const { name } of knownMigrations.slice(count)) {
    for (const statement of migrations(engine)[name]) await sql.raw(statement).execute(db)
    await sql`insert into ${table} (name, timestamp) values (${name}, ${new Date().toISOString()})`.execute(db)
  }
  await fillInHashes(db, engine)
}

/** A database must not get the hash of a text that was not executed. */
function requireUnedited(engine: Engine): void {
  for (const { name, [engine.name]: hash } of knownMigrations) {
    const actual = hashOf(migrations(engine)[name])
    if (actual === hash) continue
    throw new Error(
      `Migration ${name} was edited: its hash is ${actual}, not ${hash}. Add a new migration instead. ` +
        'The hash of a new one goes into known-migrations.ts.',
    )
  }
}

/** The hash that stands for a migration in `known-migrations.ts` and in databases. */
export const hashOf = (statements: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(statements)).digest('hex').slice(0, 32)

async function fillInHashes(db: Queryable, engine: Engine): Promise<void> {
  for (const { name, [engine.name]: hash } of knownMigrations) {
    await sql`update ${table} set hash = ${hash} where name = ${name} and hash is null`.execute(db)
  }
}

import { sql } from 'kysely'
import { Migrator } from 'kysely/migration'

import { NewerSchemaError, NoDatabaseError, StoreUnavailableError } from '../store.ts'
import type { Queryable } from '../schema.ts'
import { schema } from './0001-schema.ts'
import type { Engine } from './0001-schema.ts'
import { languagesAndBrowsers } from './0002-languages-and-browsers.ts'
import { deviceMoves } from './0003-device-moves.ts'
import { scanHash } from './0004-scan-hash.ts'
import { passkeys } from './0005-passkeys.ts'
import { phishingResistance } from './0006-phishing-resistance.ts'
import { browserKeys } from './0007-browser-keys.ts'
import { administrators } from './0008-administrators.ts'
import { signInDays } from './0009-sign-in-days.ts'
import { peopleSearch } from './0010-people-search.ts'
import { callerVerifications } from './0011-caller-verifications.ts'
import { consoleLists } from './0012-console-lists.ts'
import { keyUsesAndVerifications } from './0013-key-uses-and-verifications.ts'
import { lastSignIns } from './0014-last-sign-ins.ts'
import { enrollmentMails } from './0015-enrollment-mails.ts'
import { stockSearch } from './0016-stock-search.ts'
import { bulkJobs } from './0017-bulk-jobs.ts'
import { timeline } from './0018-timeline.ts'

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

const migrations = (engine: Engine) => ({
  '0001-schema': schema(engine),
  '0002-languages-and-browsers': languagesAndBrowsers,
  '0003-device-moves': deviceMoves,
  '0004-scan-hash': scanHash,
  '0005-passkeys': passkeys(engine),
  '0006-phishing-resistance': phishingResistance,
  '0007-browser-keys': browserKeys,
  '0008-administrators': administrators(engine),
  '0009-sign-in-days': signInDays,
  '0010-people-search': peopleSearch(engine),
  '0011-caller-verifications': callerVerifications(engine),
  '0012-console-lists': consoleLists,
  '0013-key-uses-and-verifications': keyUsesAndVerifications,
  '0014-last-sign-ins': lastSignIns(engine),
  '0015-enrollment-mails': enrollmentMails,
  '0016-stock-search': stockSearch,
  '0017-bulk-jobs': bulkJobs,
  '0018-timeline': timeline(engine),
})

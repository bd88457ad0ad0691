import { sql } from 'kysely'
import { Migrator } from 'kysely/migration'

import { NewerSchemaError, NoDatabaseError, StoreUnavailableError } from '../store.ts'
import type { Queryable } from '../schema.ts'
import { mainPath } from './0001-main-path.ts'
import { codes } from './0002-codes.ts'
import { roles } from './0003-roles.ts'
import { domainImages } from './0004-domain-images.ts'
import { throttles } from './0005-throttles.ts'
import { synchronisation } from './0006-synchronisation.ts'
import { keys } from './0007-keys.ts'
import { audit } from './0008-audit.ts'
import { ownFactors } from './0009-own-factors.ts'
import { pinsAndPushes } from './0010-pins-and-pushes.ts'
import { deviceHistory } from './0011-device-history.ts'
import { rememberedBrowsers } from './0012-remembered-browsers.ts'
import { lookups } from './0013-lookups.ts'
import { passes } from './0014-passes.ts'
import { selfEnrollment } from './0015-self-enrollment.ts'
import { epochs } from './0016-epochs.ts'
import { sharedAddresses } from './0017-shared-addresses.ts'
import { knownBrowsers } from './0018-known-browsers.ts'
import { synchronizationOrder } from './0020-synchronization-order.ts'
import { trustedClock } from './0021-trusted-clock.ts'
import { deviceNotices } from './0022-device-notices.ts'
import { lockStarts } from './0024-lock-starts.ts'
import { appNames } from './0025-app-names.ts'
import { interfaceWords } from './0026-interface-words.ts'
import { pendingLookups } from './0027-pending-lookups.ts'
import type { Engine } from './engine.ts'

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
  if (!empty) await refuseNewerSchema(db, Object.keys(known))
  const { error } = await migrator.migrateToLatest()
  if (error instanceof StoreUnavailableError) throw error
  if (error !== undefined) throw new Error('The database could not be brought to the present schema.', { cause: error })
  return empty
}

/** @throws {NewerSchemaError} when the database has a migration that this version does not know. */
async function refuseNewerSchema(db: Queryable, known: readonly string[]): Promise<void> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(db)
  const newest = rows.at(-1)?.name
  if (newest === undefined || known.includes(newest)) return
  const [theirs, ours] = [newest, known.at(-1) ?? ''].map((name) => Number.parseInt(name, 10))
  throw new NewerSchemaError(
    `The database was made by a newer version of second-factor (schema ${theirs}, this one knows ${ours}). ` +
      'Install that version, or restore a backup from before the upgrade.',
  )
}

const migrations = (engine: Engine) => ({
  '0001-main-path': mainPath(engine),
  '0002-codes': codes(engine),
  '0003-roles': roles,
  '0004-domain-images': domainImages,
  '0005-throttles': throttles,
  '0006-synchronisation': synchronisation,
  '0007-keys': keys,
  '0008-audit': audit(engine),
  '0009-own-factors': ownFactors,
  '0010-pins-and-pushes': pinsAndPushes,
  '0011-device-history': deviceHistory(engine),
  '0012-remembered-browsers': rememberedBrowsers,
  '0013-lookups': lookups(engine),
  '0014-passes': passes,
  '0015-self-enrollment': selfEnrollment,
  '0016-epochs': epochs(engine),
  '0017-shared-addresses': sharedAddresses,
  '0018-known-browsers': knownBrowsers,
  '0020-synchronization-order': synchronizationOrder,
  '0021-trusted-clock': trustedClock,
  '0022-device-notices': deviceNotices(engine),
  '0024-lock-starts': lockStarts(engine),
  '0025-app-names': appNames,
  '0026-interface-words': interfaceWords,
  '0027-pending-lookups': pendingLookups(),
})

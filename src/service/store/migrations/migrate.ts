import { Migrator } from 'kysely/migration'

import { StoreUnavailableError } from '../store.ts'
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
import type { Engine } from './engine.ts'

/** Brings the database to the present schema, in one transaction; several processes may try at once. */
export async function migrate(db: Queryable, engine: Engine): Promise<void> {
  const migrator = new Migrator({
    // Migrations write SQL's own names.
    db: db.withoutPlugins(),
    provider: { getMigrations: () => Promise.resolve(migrations(engine)) },
  })
  const { error } = await migrator.migrateToLatest()
  if (error instanceof StoreUnavailableError) throw error
  if (error !== undefined) throw new Error('The database could not be brought to the present schema.', { cause: error })
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
})

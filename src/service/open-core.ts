import { createCore } from './core.ts'
import type { Logger } from './engine/base/logger.ts'
import { createFailureLog } from './engine/monitoring/failure-log.ts'
import type { ReadAddress } from './engine/context/service-context.ts'
import { isAddress, requireKeys, openKeys } from './engine/secrets/open-keys.ts'
import { openSenders } from './engine/context/senders.ts'
import { databasePlace, MissingDatabaseError } from './missing-database.ts'
import type { Observer } from './engine/monitoring/observer.ts'
import type { ServiceOptions } from './options.ts'
import { storedInterfaceWords } from './engine/database/service-row.ts'
import type { Queryable } from './engine/database/schema/schema.ts'
import { observeDatabase } from './engine/database/observed-dialect.ts'
import { openSqliteStore } from './engine/database/sqlite.ts'
import { NoDatabaseError } from './engine/base/store-errors.ts'
import type { OpenOptions, Store } from './engine/database/store.ts'

/** Options that an embedded service has too. */
export type CoreOptions = Omit<
  ReturnType<typeof ServiceOptions.parse>,
  'vendor' | 'basePath' | 'trustProxy' | 'logRequests' | 'metrics'
>

export interface CoreListeners {
  readonly addressOf: ReadAddress
  readonly observer: Observer
}

/** Opens the database and everything that works on it: the service without HTTP, which would double the loading time. */
export async function openCore(options: CoreOptions, { addressOf, observer }: CoreListeners, opening: OpenOptions) {
  requireKeys(options)
  const senders = await openSenders(options)
  const store = await openStore(options, opening)
  try {
    reportDatabase(store, options)
    const failures = createFailureLog(options)
    const keys = await openKeys(store, { ...options, ...opening, failures })
    const storedWords = await storedInterfaceWords(store.db)
    const core = await createCore(store, { ...options, addressOf, senders, keys, failures }, observer)
    // Failures before this point are the reason why opening fails.
    observeDatabase(store.db, {
      waited: (purpose, seconds) => observer.waitedForDatabase(purpose, seconds),
      succeeded(part) {
        failures.database.succeeded(part)
        observer.databaseSucceeded(part)
      },
      failed(part, error) {
        failures.database.failed(part, error)
        observer.databaseFailed(part)
      },
    })
    return { core, storedWords }
  } catch (error) {
    await store.close()
    throw error
  }
}

async function openStore(
  { database, listenDatabase, logger, limits }: CoreOptions,
  { timeout = limits.databaseTime, ...otherOptions }: OpenOptions,
): Promise<Store> {
  const opening = { timeout, ...otherOptions }
  if (listenDatabase !== undefined && !isAddress(database)) {
    throw new TypeError('createService: listenDatabase: only valid for a PostgreSQL database')
  }
  try {
    if (!isAddress(database)) return await openSqliteStore(database, opening)
    const { openPostgresStore } = await import('./engine/database/postgres.ts')
    return await openPostgresStore(database, { ...opening, listenDatabase, onHearing: hearingLog(logger) })
  } catch (cause) {
    if (cause instanceof NoDatabaseError) throw new MissingDatabaseError(database, { cause })
    throw cause
  }
}

/** Works on a PostgreSQL database as it is, in one transaction without a timeout. */
export async function inPostgresTransaction<T>(url: string, work: (db: Queryable) => Promise<T>): Promise<T> {
  const postgres = await import('./engine/database/postgres.ts')
  return postgres.inPostgresTransaction(url, work)
}

/** Until notifications arrive, each node polls the database once a second. */
function hearingLog(logger: Logger): (hears: boolean) => void {
  return (hears) =>
    hears ? logger.info({}, 'notifications from other nodes arrive again') : logger.error({}, notificationsAreMissing)
}

const notificationsAreMissing =
  'notifications from other nodes do not arrive, so sign-ins take up to a second longer. LISTEN does not work through a pooler ' +
  "in transaction mode: give PostgreSQL's own address, --listen-database or MFA_LISTEN_DATABASE (option listenDatabase)"

/** An empty database in the wrong place looks like a healthy service without enrolled users. */
function reportDatabase({ created }: Store, { database, logger }: CoreOptions): void {
  const details = { database: databasePlace(database), created }
  if (!created) return logger.info(details, `The database is ${details.database}.`)
  const message = `The database ${details.database} has just been created. It has no enrolled users.`
  if (database === ':memory:') logger.info(details, message)
  else logger.warn(details, message)
}

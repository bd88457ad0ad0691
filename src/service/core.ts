import { pause } from '../ground/clock.ts'
import type { AuditEntry } from './engine/audit/entry.ts'
import { startHeadLog } from './engine/audit/head-log.ts'
import { startLossWatch } from './engine/audit/loss-watch.ts'
import { createRefusalLimit } from './engine/audit/refusals.ts'
import { createRefusedKeys } from './engine/audit/refused-keys.ts'
import { createTrail } from './engine/audit/trail.ts'
import { createVerifications } from './engine/audit/verifications.ts'
import { createBulkJobs } from './features/bulk-jobs/runner.ts'
import { logRevocation } from './upkeep/revocations.ts'
import { setNotifier } from './engine/database/transaction-ends.ts'
import { serviceId } from './engine/database/service-row.ts'
import { readTrustedClock } from './engine/audit/trusted-clock.ts'
import type { Store } from './engine/database/store.ts'
import { canVerifyPasskeys } from './features/passkeys/webauthn.ts'
import type { ServiceContext } from './engine/context/service-context.ts'
import { createLogLimit } from './engine/base/log-limit.ts'
import { createHeldPlaces } from './engine/waiting/places.ts'
import { createChangedInboxes } from './engine/waiting/changed-inboxes.ts'
import { joinFeatures } from './engine/steps/feature.ts'
import { features } from './features.ts'
import { mailRows } from './mail-rows.ts'
import { createSecurityMails } from './engine/mail/security-mails.ts'
import { createNotMeLinks } from './features/mail-reports/links.ts'
import { createNoticingClock } from './engine/base/noticing-clock.ts'
import { openPusher } from './engine/push/open-pusher.ts'
import type { ResolvedPushOptions } from './engine/push/push-options.ts'
import type { Observer } from './engine/monitoring/observer.ts'
import { createListLane } from './engine/base/list-lane.ts'
import { newId } from './engine/base/random.ts'
import { createSettledFeed } from './engine/waiting/settled-feed.ts'
import { startSweep } from './upkeep/sweep.ts'
import { correctFutureTimes, watchClock } from './upkeep/future-times.ts'
import { createWaiters } from './engine/waiting/waiters.ts'

/** Audit events after which something is locked or revoked, because too many attempts were wrong. */
const locks: Partial<Record<string, 'codes' | 'token'>> = { 'codes.locked': 'codes', 'pin.exhausted': 'token' }

/** How long `close()` waits for work in progress, milliseconds. */
const closeTimeout = 10_000

type CoreOptions = Pick<
  ServiceContext,
  | 'addressOf'
  | 'clock'
  | 'random'
  | 'logger'
  | 'failures'
  | 'limits'
  | 'senders'
  | 'keys'
  | 'auditRetention'
  | 'approvalRetention'
  | 'bypassCodes'
  | 'pinHashCost'
> & {
  readonly passkeys: { readonly refuseClones: boolean }
  readonly push: ResolvedPushOptions | false
  readonly notify: { readonly mail: boolean }
  readonly authenticatorUrl?: string | undefined
}

/** The service without its HTTP listeners. */
export interface Core {
  readonly ctx: ServiceContext
  /** Ends held reads and event streams, the open ones and those to come. */
  endWaiting(): void
  /** Ends waiting, then whatever `drain` waits for, then closes the store. */
  close(drain: () => Promise<void>): Promise<void>
}

export async function createCore(store: Store, options: CoreOptions, observer: Observer): Promise<Core> {
  const { addressOf, random, logger, failures, limits, senders, keys, auditRetention, bypassCodes, pinHashCost } =
    options
  const { authenticatorUrl, approvalRetention } = options
  const clock = createNoticingClock(options.clock)
  const waiters = createWaiters(store, createChangedInboxes(store.db, clock))
  const id = await serviceId(store.db, newId(random))
  // Stored at the first start, because a later start may have a wrong clock.
  await readTrustedClock(store.db, clock.now())
  const { secrets } = keys
  setNotifier(store.db, (changed) => waiters.wake(...changed))
  const pusher = await openPusher({ store, secrets, clock, logger, observer, failures }, options.push)
  const notMeLink = createNotMeLinks({ store, clock, random, authenticatorUrl })
  const securityMails =
    senders.email && options.notify.mail
      ? createSecurityMails({ rows: mailRows, mailer: senders.email, clock, logger, notMeLink })
      : undefined
  const onCommitted = (entry: AuditEntry) => {
    logRevocation(logger, entry)
    const locked = locks[entry.event]
    if (locked) observer.locked(locked)
  }
  const trail = createTrail({ clock, random, committed: onCommitted })
  const actor = { kind: 'service', id } as const
  const refusedKeys = createRefusedKeys({ store, trail, actor, clock, logger })
  const verifications = createVerifications({ store, trail, actor, clock, logger })
  const losses = startLossWatch({ store, trail, actor, address: null, clock, logger, failures })
  const ctx: ServiceContext = {
    serviceId: id,
    store,
    features: joinFeatures(features),
    secrets,
    keys,
    waiters,
    settled: createSettledFeed({ store, waiters, clock, logger, failures }),
    clock,
    random,
    logger,
    failures,
    limits,
    places: createHeldPlaces(limits),
    observer,
    senders,
    authenticatorUrl,
    securityMails,
    pusher,
    trail,
    refusals: createRefusalLimit(clock),
    refusedKeys,
    verifications,
    losses,
    lists: { ofApps: createListLane(limits.databaseTime), ofConsole: createListLane(limits.databaseTime) },
    bulkJobs: { wake: () => bulkJobs.wake() },
    logLimit: createLogLimit(clock),
    addressOf,
    actor,
    address: null,
    auditRetention,
    approvalRetention,
    bypassCodes,
    pinHashCost,
    pinChecks: new Map(),
    refuseClones: options.passkeys.refuseClones,
    verifiesPasskeys: canVerifyPasskeys(),
  }
  const bulkJobs = createBulkJobs(ctx)
  // A new database has no times.
  if (!store.created) await correctFutureTimes(ctx, (now) => ({ future: now, now }))
  const sweep = startSweep(ctx)
  const clockWatch = watchClock(ctx, clock)
  const headLog = startHeadLog(ctx)
  const endWaiting = () => {
    ctx.settled.close()
    ctx.waiters.close()
  }
  return {
    ctx,
    endWaiting,
    async close(drain) {
      endWaiting()
      await pusher?.close()
      // A caller that has stopped reading must not keep the service from closing.
      const drained = new AbortController()
      await Promise.race([drain(), pause(clock, closeTimeout, drained.signal)])
      drained.abort()
      await sweep.stop()
      await verifications.close()
      await bulkJobs.close()
      await clockWatch.stop()
      await keys.close()
      await refusedKeys.close()
      await losses.close()
      await headLog.close()
      await securityMails?.close()
      await store.close()
      failures.close()
    },
  }
}

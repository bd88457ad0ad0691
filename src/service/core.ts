import { pause } from '../clock.ts'
import { startHeadLog } from './audit/head-log.ts'
import { createRefusalLimit } from './audit/refusals.ts'
import { createTrail } from './audit/trail.ts'
import { serviceId } from './store/organizations.ts'
import type { Store } from './store/store.ts'
import type { ServiceContext } from './context.ts'
import { createInboxLook } from './inbox-look.ts'
import { openPusher } from './push/open-pusher.ts'
import type { PushOptions } from './push/push-options.ts'
import type { Observer } from './observer.ts'
import { newId } from './rules/random.ts'
import { createSettledFeed } from './settled-feed.ts'
import { startSweep } from './sweep.ts'
import { createWaiters } from './waiters.ts'

/** How long closing waits for what is under way, milliseconds. */
const patience = 10_000

type Given = Pick<
  ServiceContext,
  'clock' | 'random' | 'logger' | 'limits' | 'mailer' | 'keys' | 'auditRetention' | 'bypassCodes'
> & { readonly push: PushOptions | false }

/** The service without its doors. */
export interface Core {
  readonly ctx: ServiceContext
  /** Ends waiting, then whatever `drain` waits for, then the store. */
  close(drain: () => Promise<void>): Promise<void>
}

export async function createCore(store: Store, given: Given, observer: Observer): Promise<Core> {
  const { clock, random, logger, limits, mailer, keys, auditRetention, bypassCodes } = given
  const waiters = createWaiters(store, createInboxLook(store.db, clock))
  const id = await serviceId(store.db, newId(random))
  const { secrets } = keys
  const pusher = await openPusher({ store, secrets, clock, logger, observer }, given.push)
  const ctx: ServiceContext = {
    serviceId: id,
    store,
    secrets,
    keys,
    waiters,
    settled: createSettledFeed({ store, waiters, clock, logger }),
    clock,
    random,
    logger,
    limits,
    observer,
    mailer,
    pusher,
    trail: createTrail({ clock, random }),
    refusals: createRefusalLimit(clock),
    actor: { kind: 'service', id },
    address: null,
    auditRetention,
    bypassCodes,
  }
  const sweep = startSweep(ctx)
  const headLog = startHeadLog(ctx)
  return {
    ctx,
    async close(drain) {
      ctx.settled.close()
      await pusher?.close()
      ctx.waiters.close()
      // A caller who has stopped reading cannot keep us.
      await Promise.race([drain(), pause(clock, patience)])
      await sweep.stop()
      await keys.close()
      await headLog.close()
      await store.close()
    },
  }
}

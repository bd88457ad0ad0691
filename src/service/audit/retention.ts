import { agreementNeeded, passTime, resumeTime } from '../rules/trusted-time.ts'
import type { TrustedTime } from '../rules/trusted-time.ts'
import { auditSpan } from '../store/audit.ts'
import { openPruneBudget, readTrustedClock, writeTrustedClock } from '../store/trusted-clock.ts'
import type { Observer } from '../monitoring/observer.ts'
import type { TrailContext } from './audit.ts'
import { pruneAudit } from './prune.ts'

interface Context extends TrailContext {
  /** How long entries are kept, days. */
  readonly auditRetention: number
  readonly observer: Observer
}

const day = 24 * 60 * 60
/** How much of the trail may go in a day: a tenth. */
const shareOfADay = 10

/** Shortens the audit trail when its time is over. A wrong clock shortens nothing. */
export interface Retention {
  /**
   * @param elapsed For how long this process has run since the last call, seconds, as timers measure it.
   * @param wall What the clock of the machine said when that time was over. Unix time, seconds.
   */
  apply(elapsed: number, wall: number, signal?: AbortSignal): Promise<void>
}

export function createRetention(ctx: Context): Retention {
  const { logger, observer } = ctx
  let known: TrustedTime | undefined

  /** Each node counts by itself. What is stored is for the next start. */
  async function pass(elapsed: number, wall: number): Promise<TrustedTime> {
    return ctx.store.db.transaction().execute(async (db) => {
      const { trustedAt, wallAt, agreed } = await readTrustedClock(db, wall)
      const before = known ?? resumeTime({ trustedAt, wallAt, agreed }, wall - elapsed)
      const time = passTime(before, elapsed, wall)
      await writeTrustedClock(db, time)
      return time
    })
  }

  async function applyOnce(elapsed: number, wall: number, signal?: AbortSignal): Promise<void> {
    const agreedBefore = known?.agreed
    known = await pass(elapsed, wall)
    if (known.agreed === 0 && agreedBefore !== 0) {
      observer.clockLeapt()
      logger.warn(
        { wall: known.wallAt, trusted: known.trustedAt },
        'the clock of this machine has leapt; old audit entries are kept until it has run evenly for an hour',
      )
    }
    const today = Math.floor(known.trustedAt / day)
    await openPruneBudget(ctx.store.db, today, async () => Math.ceil((await auditSpan(ctx.store.db)) / shareOfADay))
    // Whole days, so that it is done once a day.
    await pruneAudit(ctx, (today - ctx.auditRetention) * day, { withinBudget: true, signal })
  }

  let last: Promise<unknown> = Promise.resolve()
  return {
    // One after the other: a slow sweep must not look like a leap to the next one.
    apply(elapsed, wall, signal) {
      const applied = last.then(() => applyOnce(elapsed, wall, signal))
      last = applied.catch(() => {})
      return applied
    },
  }
}

/** An administrator says that the clock of the machine is right. Services that run know it after their next start. */
export async function acceptClock({ store, clock }: Pick<Context, 'store' | 'clock'>): Promise<void> {
  await store.db.transaction().execute(async (db) => {
    await readTrustedClock(db, clock.now())
    await writeTrustedClock(db, { trustedAt: clock.now(), wallAt: clock.now(), agreed: agreementNeeded })
  })
}

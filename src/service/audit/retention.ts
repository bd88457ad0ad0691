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
/** The share of the trail that may be removed in a day: one tenth. */
const shareOfADay = 10

/** Removes audit entries after their retention time. A wrong clock removes nothing. */
export interface Retention {
  /**
   * @param elapsed Seconds this process has run since the last call, measured by timers.
   * @param wall The machine's clock at the end of that time, Unix time in seconds.
   */
  apply(elapsed: number, wall: number, signal?: AbortSignal): Promise<void>
}

export function createRetention(ctx: Context): Retention {
  const { logger, observer } = ctx
  let known: TrustedTime | undefined

  /** Each node measures by itself. The stored value is for the next start. */
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
      observer.clockJumped()
      logger.warn(
        { wall: known.wallAt, trusted: known.trustedAt },
        'the clock of this machine has jumped; old audit entries are kept until it has run steadily for an hour',
      )
    }
    const today = Math.floor(known.trustedAt / day)
    await openPruneBudget(ctx.store.db, today, async () => Math.ceil((await auditSpan(ctx.store.db)) / shareOfADay))
    // Whole days, so that it runs once a day.
    await pruneAudit(ctx, (today - ctx.auditRetention) * day, { withinBudget: true, signal })
  }

  let last: Promise<unknown> = Promise.resolve()
  return {
    // One call after another, so that a slow sweep does not look like a jump of the clock to the next one.
    apply(elapsed, wall, signal) {
      const applied = last.then(() => applyOnce(elapsed, wall, signal))
      last = applied.catch(() => {})
      return applied
    },
  }
}

/** An administrator confirms that the machine's clock is right. Running services learn it at their next start. */
export async function acceptClock({ store, clock }: Pick<Context, 'store' | 'clock'>): Promise<void> {
  await store.db.transaction().execute(async (db) => {
    await readTrustedClock(db, clock.now())
    await writeTrustedClock(db, { trustedAt: clock.now(), wallAt: clock.now(), agreed: agreementNeeded })
  })
}

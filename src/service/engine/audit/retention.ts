import { inSteps } from '../base/in-steps.ts'
import type { Observer } from '../monitoring/observer.ts'
import { agreementNeeded, passTime, resumeTime } from './trusted-time.ts'
import type { TrustedTime } from './trusted-time.ts'
import * as trail from './statements.ts'
import { removeFromTimeline } from './timeline.ts'
import { openPruneBudget, readTrustedClock, takePruneBudget, writeTrustedClock } from './trusted-clock.ts'
import { audit } from './audit.ts'
import type { TrailContext } from './audit.ts'

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
  let trustedTime: TrustedTime | undefined

  /** Each node measures by itself. The stored value is for the next start. */
  async function pass(elapsed: number, wall: number): Promise<TrustedTime> {
    return ctx.store.db.transaction().execute(async (db) => {
      const { trustedAt, wallAt, agreed } = await readTrustedClock(db, wall)
      const before = trustedTime ?? resumeTime({ trustedAt, wallAt, agreed }, wall - elapsed)
      const time = passTime(before, elapsed, wall)
      await writeTrustedClock(db, time)
      return time
    })
  }

  async function applyOnce(elapsed: number, wall: number, signal?: AbortSignal): Promise<void> {
    const agreedBefore = trustedTime?.agreed
    trustedTime = await pass(elapsed, wall)
    if (trustedTime.agreed === 0 && agreedBefore !== 0) {
      observer.clockJumped()
      logger.warn(
        { wall: trustedTime.wallAt, trusted: trustedTime.trustedAt },
        'the clock of this machine has jumped; old audit entries are kept until it has run steadily for an hour',
      )
    }
    const today = Math.floor(trustedTime.trustedAt / day)
    await openPruneBudget(ctx.store.db, today, async () =>
      Math.ceil((await trail.auditSpan(ctx.store.db)) / shareOfADay),
    )
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

type PruneContext = Pick<TrailContext, 'store' | 'trail' | 'actor' | 'address'>

/** The most entries that one transaction removes. */
const pruneStep = 250

/**
 * Removes older entries from the start of each chain, and records that in the trail.
 * @returns the number of removed entries.
 */
export async function pruneAudit(ctx: PruneContext, before: number, options: PruneOptions = {}): Promise<number> {
  let removed = 0
  for (const writer of await trail.auditWritersBefore(ctx.store.db, before)) {
    const steps = { size: pruneStep, signal: options.signal }
    removed += await inSteps(steps, () => pruneSome(ctx, writer, before, options))
  }
  return removed
}

export interface PruneOptions {
  /** Removes no more than the daily budget. */
  readonly withinBudget?: boolean
  /** Stops early, after one step of each chain. */
  readonly signal?: AbortSignal | undefined
}

function pruneSome(
  ctx: PruneContext,
  writer: string,
  before: number,
  { withinBudget = false }: PruneOptions,
): Promise<number> {
  return ctx.store.db.transaction().execute(async (db) => {
    const start = await trail.auditWriterById(db, writer)
    if (!start) return 0
    const rows = await trail.auditRowsOf(db, writer, start.startSequence, pruneStep)
    const young = rows.findIndex(({ at }) => at >= before)
    const due = young === -1 ? rows : rows.slice(0, young)
    const old = withinBudget ? due.slice(0, await takePruneBudget(db, due.length)) : due
    const last = old.at(-1)
    if (!last || !(await trail.moveAuditStart(db, writer, start.startSequence, last))) return 0
    await removeFromTimeline(db, { writer, after: start.startSequence, through: last.sequence })
    await trail.removeAuditRows(db, writer, last.sequence)
    const facts = { chain: writer, through: last.sequence, removed: old.length, before }
    await audit(db, ctx, { event: 'audit.pruned', organizationId: null, facts })
    return old.length
  })
}

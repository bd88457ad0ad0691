import type { Clock } from '../../../ground/clock.ts'
import { networkOf } from '../base/network.ts'
import { audit } from './audit.ts'
import type { AuditContext, TrailContext } from './audit.ts'
import type { Audited, EventName } from './events.ts'

/**
 * Limits on the entries that outsiders can cause, for each event: per minute and address, per minute, and per day. Events
 * have separate budgets, so that cheap noise of one kind does not hide another kind.
 */
const maxPerAddress = 10
const maxPerMinute = 60
const maxPerDay = 5_000

/** Decides which refusals are recorded. Each process counts separately. */
export interface RefusalLimit {
  /**
   * @returns the number of refusals of this event that were omitted since the last recorded one; undefined if this one is
   * omitted.
   */
  admit(event: EventName, address: string | null): number | undefined
}

export function createRefusalLimit(clock: Pick<Clock, 'now'>): RefusalLimit {
  const budgets = new Map<EventName, Budget>()

  return {
    admit(event, address) {
      const budget = budgets.get(event) ?? newBudget()
      budgets.set(event, budget)
      return admitWithin(budget, address, clock.now())
    },
  }
}

interface Budget {
  minute: { readonly startTime: number; count: number; readonly byAddress: Map<string, number> }
  day: { readonly startTime: number; count: number }
  leftOut: number
}

const newMinute = (startTime: number) => ({ startTime, count: 0, byAddress: new Map<string, number>() })

const newBudget = (): Budget => ({ minute: newMinute(0), day: { startTime: 0, count: 0 }, leftOut: 0 })

/** A clock that is set back starts a new period too; otherwise entries would be omitted until it has caught up. */
const isOver = (startTime: number, length: number, now: number) => now < startTime || now - startTime >= length

function admitWithin(budget: Budget, address: string | null, now: number): number | undefined {
  if (isOver(budget.minute.startTime, 60, now)) budget.minute = newMinute(now)
  if (isOver(budget.day.startTime, 86_400, now)) budget.day = { startTime: now, count: 0 }
  const { minute, day } = budget
  const network = networkOf(address ?? undefined)
  const fromThere = minute.byAddress.get(network) ?? 0
  if (fromThere >= maxPerAddress || minute.count >= maxPerMinute || day.count >= maxPerDay) {
    budget.leftOut += 1
    return undefined
  }
  minute.byAddress.set(network, fromThere + 1)
  minute.count += 1
  day.count += 1
  const before = budget.leftOut
  budget.leftOut = 0
  return before
}

export interface RefusalContext extends Omit<TrailContext, 'clock'> {
  readonly refusals: RefusalLimit
}

/** Records a refusal, within the limits. */
export async function auditRefusal(ctx: RefusalContext, refused: Audited): Promise<void> {
  const leftOut = ctx.refusals.admit(refused.event, refused.address === undefined ? ctx.address : refused.address)
  if (leftOut === undefined) return
  const suppressed = { event: 'audit.suppressed', organizationId: null, facts: { count: leftOut }, ...bySelf } as const
  await recordRefusal(ctx, ...(leftOut > 0 ? [suppressed, refused] : [refused]))
}

/** Records events that changed nothing, in a transaction of their own. If that fails, the refusal still stands. */
export async function recordRefusal(
  ctx: Pick<TrailContext, 'store' | 'logger'> & AuditContext,
  ...refused: readonly Audited[]
): Promise<void> {
  try {
    await ctx.store.db.transaction().execute((db) => audit(db, ctx, ...refused))
  } catch (error) {
    ctx.logger.error({ err: error, event: refused.at(-1)?.event }, 'audit entry not written')
  }
}

const bySelf = { actor: { kind: 'service', id: 'audit' }, address: null } as const

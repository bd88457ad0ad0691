import type { Clock } from '../../clock.ts'
import type { ServiceContext } from '../context.ts'
import { networkOf } from '../rules/network.ts'
import { audit } from './audit.ts'
import type { Audited } from './events.ts'

/** In a minute from one address, in a minute and in a day from anywhere: what outsiders can make us write, at most. */
const mostPerAddress = 10
const mostPerMinute = 60
const mostPerDay = 5_000

/** Which refusals are written down. Each process counts for itself. */
export interface RefusalLimit {
  /** @returns how many were left out since the last one that was not; undefined where this one is, too. */
  admit(address: string | null): number | undefined
}

export function createRefusalLimit(clock: Pick<Clock, 'now'>): RefusalLimit {
  let minute = { begun: 0, count: 0, byAddress: new Map<string, number>() }
  let day = { begun: 0, count: 0 }
  let leftOut = 0

  return {
    admit(address) {
      const now = clock.now()
      if (now - minute.begun >= 60) minute = { begun: now, count: 0, byAddress: new Map() }
      if (now - day.begun >= 86_400) day = { begun: now, count: 0 }
      const network = networkOf(address ?? undefined)
      const fromThere = minute.byAddress.get(network) ?? 0
      if (fromThere >= mostPerAddress || minute.count >= mostPerMinute || day.count >= mostPerDay) {
        leftOut += 1
        return undefined
      }
      minute.byAddress.set(network, fromThere + 1)
      minute.count += 1
      day.count += 1
      const before = leftOut
      leftOut = 0
      return before
    },
  }
}

type Context = Pick<ServiceContext, 'store' | 'trail' | 'actor' | 'address' | 'refusals' | 'logger'>

/** Writes down what was refused and so changed nothing, in a transaction of its own. The refusal stands whatever becomes of that. */
export async function auditRefusal(ctx: Context, refused: Audited): Promise<void> {
  const leftOut = ctx.refusals.admit(refused.address === undefined ? ctx.address : refused.address)
  if (leftOut === undefined) return
  const suppressed = { event: 'audit.suppressed', organizationId: null, facts: { count: leftOut }, ...bySelf } as const
  try {
    await ctx.store.db
      .transaction()
      .execute((db) => audit(db, ctx, ...(leftOut > 0 ? [suppressed, refused] : [refused])))
  } catch (error) {
    ctx.logger.error({ err: error, event: refused.event }, 'audit entry lost')
  }
}

const bySelf = { actor: { kind: 'service', id: 'audit' }, address: null } as const

import type { ServiceContext } from '../context/service-context.ts'
import { newId } from '../rules/random.ts'
import { StoreUnavailableError } from '../store/store.ts'
import { correctBeats, insertSynchronisation, synchronisationOf, takeOver } from '../store/synchronisations.ts'
import type { Held, SynchronisationRow } from '../store/synchronisations.ts'
import { waiterKey } from '../ground/waiter-key.ts'
import { hasEnded, ownProcess } from './process-identity.ts'

/** After how long without a step its process counts as dead; the longest step takes far below a second. Seconds. */
const abandonedAfter = 10
/** For how long one waits for those before it, seconds. */
const patience = 120

/** The turn of an organization: one synchronisation after the other, on whatever node. */
export async function claim(
  ctx: ServiceContext,
  of: { organizationId: string; domainId: string },
  recover: (abandoned: SynchronisationRow) => Promise<void>,
): Promise<Held> {
  let tired = false
  const stopPatience = ctx.clock.after(patience * 1000, () => (tired = true))
  const subscription = ctx.waiters.subscribe(waiterKey.synchronisation(of.organizationId))
  try {
    for (;;) {
      const held = { id: newId(ctx.random), holder: newId(ctx.random), ...of }
      const row = { ...held, holderProcess: ownProcess ?? null, beatAt: ctx.clock.now(), appliedAt: null }
      if (await insertSynchronisation(ctx.store.db, row)) return held
      await correctBeats(ctx.store.db, ctx.clock.now())
      const present = await synchronisationOf(ctx.store.db, of.organizationId)
      const left = present ? secondsUntilAbandoned(present, ctx.clock.now()) : 0
      if (present && left <= 0) await recover(present)
      if (left <= 0) continue
      if (ctx.waiters.closed() || tired) throw new StoreUnavailableError('Another synchronisation is under way.')
      const stopAlarm = ctx.clock.after(left * 1000, () => subscription.wake())
      await subscription.woken()
      stopAlarm()
    }
  } finally {
    stopPatience()
    subscription.end()
  }
}

/** 0 when the process that holds it has ended, or was not heard of for too long. */
export function secondsUntilAbandoned({ beatAt, holderProcess }: SynchronisationRow, now: number): number {
  return hasEnded(holderProcess) ? 0 : Math.max(0, beatAt + abandonedAfter - now)
}

/** Puts oneself in the place of a dead holder. @returns nothing where it has come back, or somebody else was first. */
export async function replaceHolder(ctx: ServiceContext, row: SynchronisationRow): Promise<Held | undefined> {
  const holder = newId(ctx.random)
  const won = await takeOver(ctx.store.db, row, {
    holder,
    holderProcess: ownProcess ?? null,
    now: ctx.clock.now(),
  })
  return won ? { ...row, holder } : undefined
}

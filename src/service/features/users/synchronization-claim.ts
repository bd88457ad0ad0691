import type { ServiceContext } from '../../engine/context/service-context.ts'
import { newId } from '../../engine/base/random.ts'
import { StoreUnavailableError } from '../../engine/base/store-errors.ts'
import { correctBeats, insertSynchronization, synchronizationOf, takeOver } from './synchronization-statements.ts'
import type { ClaimedSync, SynchronizationRow } from './synchronization-statements.ts'
import { waiterKey } from '../../engine/base/waiter-key.ts'
import { hasEnded, ownProcess } from './synchronization-process-identity.ts'

/** A process counts as dead after this time without a step; the longest step takes far below a second. Seconds. */
const abandonedAfter = 10
/** How long to wait for earlier synchronizations, seconds. */
const claimTimeout = 120

/** Claims an organization: its synchronizations run one after the other, on any node. */
export async function claim(
  ctx: ServiceContext,
  domain: { organizationId: string; domainId: string },
  recover: (abandoned: SynchronizationRow) => Promise<void>,
): Promise<ClaimedSync> {
  let timedOut = false
  const cancelTimeout = ctx.clock.after(claimTimeout * 1000, () => (timedOut = true))
  const subscription = ctx.waiters.subscribe(waiterKey.synchronization(domain.organizationId))
  try {
    for (;;) {
      const claimed = { id: newId(ctx.random), holder: newId(ctx.random), ...domain }
      const row = { ...claimed, holderProcess: ownProcess ?? null, beatAt: ctx.clock.now(), appliedAt: null }
      if (await insertSynchronization(ctx.store.db, row)) return claimed
      await correctBeats(ctx.store.db, ctx.clock.now())
      const running = await synchronizationOf(ctx.store.db, domain.organizationId)
      const remaining = running ? secondsUntilAbandoned(running, ctx.clock.now()) : 0
      if (running && remaining <= 0) await recover(running)
      if (remaining <= 0) continue
      if (ctx.waiters.closed() || timedOut) throw new StoreUnavailableError('Another synchronization is in progress.')
      const stopAlarm = ctx.clock.after(remaining * 1000, () => subscription.wake())
      await subscription.woken()
      stopAlarm()
    }
  } finally {
    cancelTimeout()
    subscription.end()
  }
}

/** 0 if the holder's process has ended, or has not reported for too long. */
export function secondsUntilAbandoned({ beatAt, holderProcess }: SynchronizationRow, now: number): number {
  return hasEnded(holderProcess) ? 0 : Math.max(0, beatAt + abandonedAfter - now)
}

/** Replaces a dead holder. @returns undefined if it has reported again, or another process was faster. */
export async function replaceHolder(ctx: ServiceContext, row: SynchronizationRow): Promise<ClaimedSync | undefined> {
  const holder = newId(ctx.random)
  const isFirst = await takeOver(ctx.store.db, row, {
    holder,
    holderProcess: ownProcess ?? null,
    now: ctx.clock.now(),
  })
  return isFirst ? { ...row, holder } : undefined
}

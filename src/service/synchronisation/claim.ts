import type { ServiceContext } from '../context.ts'
import { newId } from '../rules/random.ts'
import { StoreUnavailableError } from '../store/store.ts'
import { insertSynchronisation, synchronisationOf, takeOver } from '../store/synchronisations.ts'
import type { Held, SynchronisationRow } from '../store/synchronisations.ts'
import { waiterKey } from '../waiters.ts'

/** After how long without a step its process counts as dead; the longest step takes far below a second. Seconds. */
export const abandonedAfter = 60
/** For how long one waits for those before it, seconds. */
const patience = 120

/** The turn of an organization: one synchronisation after the other, on whatever node. */
export async function claim(
  ctx: ServiceContext,
  of: { organizationId: string; domainId: string },
  recover: (abandoned: SynchronisationRow) => Promise<void>,
): Promise<Held> {
  const begun = ctx.clock.now()
  const subscription = ctx.waiters.subscribe(waiterKey.synchronisation(of.organizationId))
  try {
    for (;;) {
      const held = { id: newId(ctx.random), holder: newId(ctx.random), ...of }
      if (await insertSynchronisation(ctx.store.db, { ...held, beatAt: ctx.clock.now(), appliedAt: null })) return held
      const present = await synchronisationOf(ctx.store.db, of.organizationId)
      const left = present ? present.beatAt + abandonedAfter - ctx.clock.now() : 0
      if (present && left <= 0) await recover(present)
      if (left <= 0) continue
      if (ctx.waiters.closed() || ctx.clock.now() - begun >= patience)
        throw new StoreUnavailableError('Another synchronisation is under way.')
      const stopAlarm = ctx.clock.after(left * 1000, () => subscription.wake())
      await subscription.woken()
      stopAlarm()
    }
  } finally {
    subscription.end()
  }
}

/** Puts oneself in the place of a dead holder. @returns nothing where it has come back, or somebody else was first. */
export async function replaceHolder(ctx: ServiceContext, row: SynchronisationRow): Promise<Held | undefined> {
  const holder = newId(ctx.random)
  const won = await takeOver(ctx.store.db, row, { holder, now: ctx.clock.now() })
  return won ? { ...row, holder } : undefined
}

import { notifyRevoked } from '../../engine/waiting/notify.ts'
import { auditRevoked } from '../../engine/audit/audit.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import { leaveDomain } from './leave.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { noneRevoked } from '../../engine/base/revoked.ts'
import {
  applyChanges,
  changedIds,
  forgetChanges,
  leavingIds,
  removeStaged,
  removeSynchronization,
} from './synchronization-statements.ts'
import type { Held } from './synchronization-statements.ts'
import { waiterKey } from '../../engine/base/waiter-key.ts'
import { step, stepThrough } from './synchronization-step.ts'

/** Completes an applied synchronization: ends what ended with it. Can be resumed after an interruption. */
export async function finish(ctx: ServiceContext, held: Held): Promise<void> {
  await endMemberships(ctx, held)
  await changeUsers(ctx, held, (db, userIds) => applyChanges(db, ctx, held, userIds))
  await end(ctx, held)
}

/** Removes the staged rows of a synchronization that was not applied. */
export async function undo(ctx: ServiceContext, held: Held): Promise<void> {
  await stepThrough(ctx, held, (db) => removeStaged(db, held, 'membership'))
  await stepThrough(ctx, held, (db) => removeStaged(db, held, 'user'))
  await changeUsers(ctx, held, () => Promise.resolve())
  await end(ctx, held)
}

async function changeUsers(
  ctx: ServiceContext,
  held: Held,
  change: (db: Queryable, userIds: readonly string[]) => Promise<void>,
): Promise<void> {
  await stepThrough(ctx, held, async (db) => {
    const userIds = await changedIds(db, held)
    if (userIds.length === 0) return false
    await change(db, userIds)
    await forgetChanges(db, held, userIds)
    return true
  })
}

async function endMemberships(ctx: ServiceContext, held: Held): Promise<void> {
  for (let more = true; more;) {
    const userIds = await step(ctx, held, async (db) => {
      const leaving = await leavingIds(db, held)
      const of = { domainId: held.domainId, userIds: leaving }
      const ended = leaving.length > 0 ? await leaveDomain(db, ctx, of) : noneRevoked
      await auditRevoked(db, ctx, ended, held)
      notifyRevoked(db, ctx, ended)
      return leaving
    })
    more = userIds.length > 0
  }
}

async function end(ctx: ServiceContext, held: Held): Promise<void> {
  await removeSynchronization(ctx.store.db, held)
  ctx.waiters.wake(waiterKey.synchronization(held.organizationId))
}

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
import type { ClaimedSync } from './synchronization-statements.ts'
import { waiterKey } from '../../engine/base/waiter-key.ts'
import { step, stepThrough } from './synchronization-step.ts'

/** Completes an applied synchronization: ends what ended with it. Can be resumed after an interruption. */
export async function finish(ctx: ServiceContext, claimed: ClaimedSync): Promise<void> {
  await endMemberships(ctx, claimed)
  await changeUsers(ctx, claimed, (db, userIds) => applyChanges(db, ctx, claimed, userIds))
  await end(ctx, claimed)
}

/** Removes the staged rows of a synchronization that was not applied. */
export async function undo(ctx: ServiceContext, claimed: ClaimedSync): Promise<void> {
  await stepThrough(ctx, claimed, (db) => removeStaged(db, claimed, 'membership'))
  await stepThrough(ctx, claimed, (db) => removeStaged(db, claimed, 'user'))
  await changeUsers(ctx, claimed, () => Promise.resolve())
  await end(ctx, claimed)
}

async function changeUsers(
  ctx: ServiceContext,
  claimed: ClaimedSync,
  change: (db: Queryable, userIds: readonly string[]) => Promise<void>,
): Promise<void> {
  await stepThrough(ctx, claimed, async (db) => {
    const userIds = await changedIds(db, claimed)
    if (userIds.length === 0) return false
    await change(db, userIds)
    await forgetChanges(db, claimed, userIds)
    return true
  })
}

async function endMemberships(ctx: ServiceContext, claimed: ClaimedSync): Promise<void> {
  for (let more = true; more;) {
    const userIds = await step(ctx, claimed, async (db) => {
      const leaving = await leavingIds(db, claimed)
      const membersOfDomain = { domainId: claimed.domainId, userIds: leaving }
      const ended = leaving.length > 0 ? await leaveDomain(db, ctx, membersOfDomain) : noneRevoked
      await auditRevoked(db, ctx, ended, claimed)
      notifyRevoked(db, ctx, ended)
      return leaving
    })
    more = userIds.length > 0
  }
}

async function end(ctx: ServiceContext, claimed: ClaimedSync): Promise<void> {
  await removeSynchronization(ctx.store.db, claimed)
  ctx.waiters.wake(waiterKey.synchronization(claimed.organizationId))
}

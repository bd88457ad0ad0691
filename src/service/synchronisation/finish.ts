import { notifyRevoked } from '../api/notify.ts'
import { auditRevoked } from '../audit/audit.ts'
import type { ServiceContext } from '../context.ts'
import { removeEmailCodes } from '../store/email-codes.ts'
import { leaveDomain } from '../store/leave.ts'
import { noneRevoked } from '../store/tokens.ts'
import {
  leavingIds,
  removeStaged,
  removeSynchronisation,
  takeChanges,
  unmarkMembers,
  unmarkUsers,
} from '../store/synchronisations.ts'
import type { Held } from '../store/synchronisations.ts'
import { updateUser } from '../store/users.ts'
import { waiterKey } from '../waiters.ts'
import { step, stepThrough } from './step.ts'

/** After it was applied: ends what ended with it, and takes all marks off. Can be taken up again where it was left. */
export async function finish(ctx: ServiceContext, held: Held): Promise<void> {
  await endMemberships(ctx, held)
  await stepThrough(ctx, held, async (db) => {
    const changes = await takeChanges(db, held)
    for (const { userId, name, email } of changes) {
      const readdressed = await updateUser(db, userId, { name, email }, ctx.clock.now())
      // As where one user is changed: who reads the old mailbox has no more business here.
      if (readdressed) await removeEmailCodes(db, { userId })
    }
    return changes.length > 0
  })
  await stepThrough(ctx, held, (db) => unmarkMembers(db, held, 'addedBy'))
  await stepThrough(ctx, held, (db) => unmarkUsers(db, held))
  await end(ctx, held)
}

/** Where it was not applied: takes back what was staged. */
export async function undo(ctx: ServiceContext, held: Held): Promise<void> {
  await stepThrough(ctx, held, (db) => removeStaged(db, held, 'membership'))
  await stepThrough(ctx, held, (db) => removeStaged(db, held, 'user'))
  await stepThrough(ctx, held, (db) => unmarkMembers(db, held, 'removedBy'))
  await stepThrough(ctx, held, async (db) => (await takeChanges(db, held)).length > 0)
  await end(ctx, held)
}

async function endMemberships(ctx: ServiceContext, held: Held): Promise<void> {
  for (let more = true; more;) {
    const { userIds, revoked } = await step(ctx, held, async (db) => {
      const leaving = await leavingIds(db, held)
      const of = { domainId: held.domainId, userIds: leaving }
      const ended = leaving.length > 0 ? await leaveDomain(db, of, ctx.clock.now()) : noneRevoked
      await auditRevoked(db, ctx, ended, held)
      return { userIds: leaving, revoked: ended }
    })
    notifyRevoked(ctx, revoked)
    more = userIds.length > 0
  }
}

async function end(ctx: ServiceContext, held: Held): Promise<void> {
  await removeSynchronisation(ctx.store.db, held)
  ctx.waiters.wake(waiterKey.synchronisation(held.organizationId))
}

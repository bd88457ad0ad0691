import { audit } from '../../engine/audit/audit.ts'
import { announceChange } from '../factors/announcements.ts'
import { endOtherSessions } from '../browsers/epochs.ts'
import { endKnownBrowsers } from '../browsers/statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { lockUser } from '../users/statements.ts'
import type { Acting } from '../../engine/context/acting.ts'
import { takeLift } from './lift-budget.ts'

interface SessionOwner {
  readonly organizationId: string
  readonly userId: string
}

/**
 * Ends every verified web session of the user and forgets remembered browsers, in every domain.
 * @throws {RangeError} if the user does not exist.
 */
export async function endUserSessions(ctx: Acting, { organizationId, userId }: SessionOwner): Promise<void> {
  await ctx.store.db.transaction().execute(async (db) => {
    if (!(await lockUser(db, organizationId, userId))) throw new RangeError('userId: no such user')
    await endSessionsInTransaction(db, ctx, { organizationId, userId })
  })
}

/**
 * The same within a transaction that has locked the user. It counts, and the user is told.
 * @throws {ApiProblem} `api.error.toomanyrequests` for an administrator of the console, once it was done too often.
 */
export async function endSessionsInTransaction(
  db: Queryable,
  ctx: Acting,
  { organizationId, userId }: SessionOwner,
): Promise<void> {
  await takeLift(db, ctx, 'signed_out', userId)
  await endKnownBrowsers(db, [userId])
  await endOtherSessions(db, [userId])
  await announceChange(db, ctx, { kind: 'signed_out', organizationId, userId })
  await audit(db, ctx, { event: 'user.sessions_ended', organizationId, facts: { user: userId } })
}

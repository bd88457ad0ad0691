import { notifyRevoked } from '../api/notify.ts'
import { audit, auditRevoked } from '../audit/audit.ts'
import type { Audited } from '../audit/events.ts'
import type { ServiceContext } from '../context.ts'
import { removeBypassCodesOfUser } from '../store/bypass-codes.ts'
import { removeEmailCodes } from '../store/email-codes.ts'
import { forgetEnrolment } from '../store/enrolment.ts'
import { releaseHardwareTokens } from '../store/hardware.ts'
import { forgetBrowsersOf } from '../store/remembered-browsers.ts'
import type { Queryable } from '../store/schema.ts'
import { revokeTokens } from '../store/tokens.ts'
import { lockUser } from '../store/users.ts'

interface Of {
  readonly organizationId: string
  readonly userId: string
}

/**
 * Takes everything away that somebody passes the second step with, and lets them set up a first factor again: from here
 * on the password alone is enough for that. All at once, so that nothing of the old is left to add to the new.
 *
 * @throws {RangeError} where there is no such user.
 */
export async function resetUser(ctx: ServiceContext, { organizationId, userId }: Of): Promise<void> {
  const ended = await ctx.store.db.transaction().execute(async (db) => {
    if (!(await lockUser(db, organizationId, userId))) throw new RangeError('userId: there is no such user')
    const revoked = await revokeTokens(db, { userIds: [userId] }, ctx.clock.now())
    await auditRevoked(db, ctx, revoked, { organizationId })
    await audit(db, ctx, ...(await dropOthers(db, { organizationId, userId })))
    await forgetEnrolment(db, userId)
    await forgetBrowsersOf(db, [userId])
    await audit(db, ctx, { event: 'user.reset', organizationId, facts: { user: userId } })
    return revoked
  })
  notifyRevoked(ctx, ended)
}

/** What is no token. @returns what there is to be written down of it. */
async function dropOthers(db: Queryable, { organizationId, userId: user }: Of): Promise<Audited[]> {
  const released = await releaseHardwareTokens(db, [user])
  const count = await removeBypassCodesOfUser(db, user)
  await removeEmailCodes(db, { userId: user })
  return [
    ...(released ? [{ event: 'hardware.released', organizationId, facts: { user } } as const] : []),
    ...(count > 0 ? [{ event: 'bypass.all_deleted', organizationId, facts: { user, count } } as const] : []),
  ]
}

import { audit } from '../audit/audit.ts'
import type { ServiceContext } from '../context/service-context.ts'
import { endOtherSessions } from '../store/epochs.ts'
import { lockUser } from '../store/users.ts'

/**
 * Ends every verified web session of the user and forgets remembered browsers, in every domain.
 * @throws {RangeError} if the user does not exist.
 */
export async function endUserSessions(
  ctx: ServiceContext,
  { organizationId, userId }: { readonly organizationId: string; readonly userId: string },
): Promise<void> {
  await ctx.store.db.transaction().execute(async (db) => {
    if (!(await lockUser(db, organizationId, userId))) throw new RangeError('userId: no such user')
    await endOtherSessions(db, [userId])
    await audit(db, ctx, { event: 'user.sessions_ended', organizationId, facts: { user: userId } })
  })
}

import { notifyRevoked } from '../api/notify.ts'
import type { ServiceContext } from '../context.ts'
import { revokeTokens } from '../store/tokens.ts'
import { useCall } from './signed-call.ts'
import type { SignedCall } from './signed-call.ts'

/** The device gives its token back. */
export async function removeDevice(ctx: ServiceContext, call: SignedCall): Promise<void> {
  const revoked = await ctx.store.db.transaction().execute(async (db) => {
    await useCall(db, call)
    const { userId, domainId } = call.device
    return revokeTokens(db, { userIds: [userId], domainId }, ctx.clock.now())
  })
  notifyRevoked(ctx, revoked)
}

import { notifyRevoked } from '../../engine/waiting/notify.ts'
import { audit, auditRevoked } from '../../engine/audit/audit.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import { announceRevoked } from '../factors/announcements.ts'
import { organizationOfDomain } from '../domains/statements.ts'
import { revokeTokens } from './token-statements.ts'
import { consumeCall } from './signed-call.ts'
import type { SignedCall } from './signed-call.ts'

/** Revokes the token at the request of its own device. */
export async function removeDevice(ctx: ServiceContext, call: SignedCall, address: string | null): Promise<void> {
  await ctx.store.db.transaction().execute(async (db) => {
    await consumeCall(db, call)
    const { id: device, userId, domainId } = call.device
    const ended = await revokeTokens(db, { userIds: [userId], domainId }, ctx.clock.now())
    const by = {
      organizationId: await organizationOfDomain(db, domainId),
      actor: { kind: 'device', id: device },
    } as const
    const addressContext = { ...ctx, address }
    await audit(db, addressContext, {
      ...by,
      event: 'device.removed',
      facts: { device, domain: domainId, user: userId },
    })
    await auditRevoked(db, addressContext, { ...ended, devices: [] }, by)
    await announceRevoked(db, ctx, ended, by)
    notifyRevoked(db, ctx, ended)
  })
}

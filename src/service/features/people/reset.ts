import { notifyRevoked } from '../../engine/waiting/notify.ts'
import { audit, auditRevoked } from '../../engine/audit/audit.ts'
import type { AuditContext } from '../../engine/audit/audit.ts'
import type { Audited } from '../../engine/audit/events.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import { announceChange } from '../factors/announcements.ts'
import { removeBypassCodesOfUser } from '../bypass-codes/statements.ts'
import { removeSentCodes } from '../sent-codes/statements.ts'
import { forgetEnrollment } from '../users/enrollment.ts'
import { releaseHardwareTokens } from '../hardware/statements.ts'
import { endOtherSessions } from '../browsers/epochs.ts'
import { endKnownBrowsers } from '../browsers/statements.ts'
import { removeCeremonies } from '../passkeys/ceremony-statements.ts'
import { removePasskeys } from '../passkeys/statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { revokeTokens } from '../devices/token-statements.ts'
import type { Revoked } from '../../engine/base/revoked.ts'
import { inTransaction } from '../../engine/database/transaction-ends.ts'
import { lockUser } from '../users/statements.ts'

interface UserKey {
  readonly organizationId: string
  readonly userId: string
}

/**
 * Removes everything a user passes the second step with, and allows a first factor to be enrolled again: from now on the
 * password alone is enough for that. Runs in one transaction, so that no old factor can be used to add a new one.
 * @throws {RangeError} if the user does not exist.
 */
export async function resetUser(ctx: ServiceContext, { organizationId, userId }: UserKey): Promise<void> {
  await inTransaction(ctx.store.db, async (db) => {
    const revoked = await resetInTransaction(db, ctx, { organizationId, userId })
    await announceChange(db, ctx, { kind: 'reset', organizationId, userId })
    notifyRevoked(db, ctx, revoked)
  })
}

/** The same within a transaction. @returns what was revoked, to notify waiters. */
export async function resetInTransaction(
  db: Queryable,
  ctx: Pick<ServiceContext, 'clock' | 'secrets'> & AuditContext,
  { organizationId, userId }: UserKey,
): Promise<Revoked> {
  if (!(await lockUser(db, organizationId, userId))) throw new RangeError('userId: no such user')
  const revoked = await revokeTokens(db, { userIds: [userId] }, ctx.clock.now())
  await auditRevoked(db, ctx, revoked, { organizationId })
  await audit(db, ctx, ...(await dropOthers(ctx, db, { organizationId, userId })))
  await forgetEnrollment(db, userId)
  await endKnownBrowsers(db, [userId])
  await endOtherSessions(db, [userId])
  await audit(db, ctx, { event: 'user.reset', organizationId, facts: { user: userId } })
  return revoked
}

/** Removes every factor except tokens. @returns the events to audit. */
async function dropOthers(
  { secrets, clock }: Pick<ServiceContext, 'secrets' | 'clock'>,
  db: Queryable,
  { organizationId, userId: user }: UserKey,
): Promise<Audited[]> {
  const released = await releaseHardwareTokens(db, secrets, [user])
  const count = await removeBypassCodesOfUser(db, { userId: user, now: clock.now() })
  const passkeys = await removePasskeys(db, [user])
  await removeCeremonies(db, { userIds: [user] })
  await removeSentCodes(db, { userIds: [user] })
  return [
    ...(released ? [{ event: 'hardware.released', organizationId, facts: { user } } as const] : []),
    ...passkeys.map(
      ({ id: passkey }) =>
        ({ event: 'passkey.removed', organizationId, facts: { passkey, domain: null, user } }) as const,
    ),
    ...(count > 0 ? [{ event: 'bypass.all_deleted', organizationId, facts: { user, count } } as const] : []),
  ]
}

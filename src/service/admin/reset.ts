import { notifyRevoked } from '../waiting/notify.ts'
import { audit, auditRevoked } from '../audit/audit.ts'
import type { AuditContext } from '../audit/audit.ts'
import type { Audited } from '../audit/events.ts'
import type { ServiceContext } from '../context/service-context.ts'
import { announceChange } from '../factors/factor-changes.ts'
import { removeBypassCodesOfUser } from '../store/bypass-codes.ts'
import { removeEmailCodes } from '../store/email-codes.ts'
import { forgetEnrollment } from '../store/enrollment.ts'
import { releaseHardwareTokens } from '../store/hardware.ts'
import { endOtherSessions } from '../store/epochs.ts'
import { endKnownBrowsers } from '../store/known-browsers.ts'
import { removeCeremonies } from '../store/passkey-ceremonies.ts'
import { removePasskeys } from '../store/passkeys.ts'
import type { Queryable } from '../store/schema.ts'
import { revokeTokens } from '../store/tokens.ts'
import type { Revoked } from '../store/tokens.ts'
import { inTransaction } from '../store/transaction-ends.ts'
import { lockUser } from '../store/users.ts'

interface Of {
  readonly organizationId: string
  readonly userId: string
}

/**
 * Removes everything a user passes the second step with, and allows a first factor to be enrolled again: from now on the
 * password alone is enough for that. Runs in one transaction, so that no old factor can be used to add a new one.
 * @throws {RangeError} if the user does not exist.
 */
export async function resetUser(ctx: ServiceContext, { organizationId, userId }: Of): Promise<void> {
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
  { organizationId, userId }: Of,
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
  { organizationId, userId: user }: Of,
): Promise<Audited[]> {
  const released = await releaseHardwareTokens(db, secrets, [user])
  const count = await removeBypassCodesOfUser(db, { userId: user, now: clock.now() })
  const passkeys = await removePasskeys(db, [user])
  await removeCeremonies(db, { userIds: [user] })
  await removeEmailCodes(db, { userIds: [user] })
  return [
    ...(released ? [{ event: 'hardware.released', organizationId, facts: { user } } as const] : []),
    ...passkeys.map(
      ({ id: passkey }) =>
        ({ event: 'passkey.removed', organizationId, facts: { passkey, domain: null, user } }) as const,
    ),
    ...(count > 0 ? [{ event: 'bypass.all_deleted', organizationId, facts: { user, count } } as const] : []),
  ]
}

import { audit } from '../engine/audit/audit.ts'
import type { ServiceContext } from '../engine/context/service-context.ts'
import { endAdministrator } from '../features/administrators/statements.ts'
import { endAllSessions } from '../features/browsers/epochs.ts'
import { releaseHardwareTokens } from '../features/hardware/statements.ts'
import { forgetClientSecrets } from '../features/oidc/client-statements.ts'
import { forgetOidcClient } from '../features/oidc/clients.ts'
import { deleteAllKeys } from '../features/oidc/key-statements.ts'
import { leaveDomain, removeUser } from '../features/users/leave.ts'
import {
  endAllAccess,
  lastAuditTime,
  organizationOfUser,
  removeApiKeyById,
  removeHardwareTokenById,
  revocable,
  tokenById,
  tokenOfDevice,
} from './restored-statements.ts'
import { removePasskey } from '../features/passkeys/statements.ts'
import type { Queryable } from '../engine/database/schema/schema.ts'
import { revokeTokens } from '../features/devices/token-statements.ts'
import { resetInTransaction } from '../features/people/reset.ts'
import type { Revocation } from './revocations.ts'

export interface Restored {
  /** The time of the backup according to its audit trail; Unix time, seconds. */
  readonly backupAt: number
  /** The number of revocations that were applied again. */
  readonly applied: number
  /** The number of counter-based hardware tokens (HOTP), which are refused until an administrator resynchronizes them. */
  readonly counterTokens: number
}

/** Things that are active in a backup and may have been revoked since. */
export async function whatMayBeRevoked(ctx: ServiceContext) {
  const { db } = ctx.store
  return { ...(await revocable(db)), backupAt: await lastAuditTime(db) }
}

/**
 * Makes a restored backup safe to serve: ends everything that may have been used up since, and revokes again what was revoked
 * since. Runs in one transaction; an entry of the audit trail marks the gap.
 */
export function settleRestored(ctx: ServiceContext, revocations: readonly Revocation[]): Promise<Restored> {
  return ctx.store.db.transaction().execute(async (db) => {
    const backupAt = await lastAuditTime(db)
    const counterTokens = await endAllAccess(db, ctx.clock.now())
    await endAllSessions(db)
    let applied = 0
    for (const revocation of revocations.filter(({ at }) => at >= backupAt)) {
      if (await apply(ctx, db, revocation)) applied += 1
    }
    const facts = { before: backupAt, count: applied }
    await audit(db, ctx, { event: 'database.restored', organizationId: null, facts })
    return { backupAt, applied, counterTokens }
  })
}

/** @returns false if the backup does not contain it. */
async function apply(ctx: ServiceContext, db: Queryable, { event, ids }: Revocation): Promise<boolean> {
  const now = ctx.clock.now()
  const member: MemberKey = { userId: ids['user'] ?? '', domainId: ids['domain'] ?? '' }
  const organizationId = await organizationOfUser(db, member.userId)
  const ofUser = async (end: (user: MemberKey & { organizationId: string }) => Promise<unknown>): Promise<boolean> => {
    if (organizationId !== undefined) await end({ ...member, organizationId })
    return organizationId !== undefined
  }
  const byEvent: Record<Revocation['event'], () => Promise<boolean>> = {
    'token.revoked': async () => revokeIn(db, await tokenById(db, ids['token'] ?? ''), now),
    'device.revoked': async () => revokeIn(db, await tokenOfDevice(db, ids['device'] ?? ''), now),
    'device.removed': async () => revokeIn(db, await tokenOfDevice(db, ids['device'] ?? ''), now),
    'user.deleted': () => ofUser(({ userId }) => removeUser(db, ctx, userId)),
    'user.reset': () => ofUser((user) => resetInTransaction(db, ctx, user)),
    'membership.removed': () => ofUser(({ domainId, userId }) => leaveDomain(db, ctx, { domainId, userIds: [userId] })),
    'hardware.deleted': () => removeHardwareTokenById(db, ids['hardware'] ?? ''),
    'hardware.released': () => releaseHardwareTokens(db, ctx.secrets, [member.userId]),
    'passkey.removed': () => removePasskey(db, { id: ids['passkey'] ?? '', userId: member.userId }),
    'api_key.revoked': () => removeApiKeyById(db, ids['apiKey'] ?? ''),
    'administrator.revoked': () => endAdministrator(db, ids['administrator'] ?? '', now),
    'oidc.client_removed': () => forgetOidcClient(db, ids['client'] ?? ''),
    'oidc.client_secret_rotated': () => forgetClientSecrets(db, ids['client'] ?? ''),
    // The provider makes a new one that signs at once.
    'oidc.keys_replaced': () => deleteAllKeys(db),
  }
  return byEvent[event]()
}

/** The token's user and domain. */
interface MemberKey {
  readonly userId: string
  readonly domainId: string
}

async function revokeIn(db: Queryable, member: MemberKey | undefined, now: number): Promise<boolean> {
  if (member) await revokeTokens(db, { userIds: [member.userId], domainId: member.domainId }, now)
  return member !== undefined
}

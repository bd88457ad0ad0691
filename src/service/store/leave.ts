import { releaseHardwareTokens } from './hardware.ts'
import { forgetBrowsersOf } from './remembered-browsers.ts'
import type { Queryable } from './schema.ts'
import { noneRevoked, revokeTokens } from './tokens.ts'
import type { Revoked } from './tokens.ts'

/**
 * Ends memberships, and all that ends with them: tokens, devices and pending sessions there, codes that were e-mailed
 * for it. Who is in no domain any more has no use for a hardware token, which another one can have now, and for bypass
 * codes. In a transaction.
 */
export async function leaveDomain(
  db: Queryable,
  { domainId, userIds }: { domainId: string; userIds: readonly string[] },
  now: number,
): Promise<Revoked> {
  if (userIds.length === 0) return noneRevoked
  const ended = await revokeTokens(db, { userIds, domainId }, now)
  await db.deleteFrom('emailCode').where('userId', 'in', userIds).where('domainId', '=', domainId).execute()
  await db.deleteFrom('membership').where('userId', 'in', userIds).where('domainId', '=', domainId).execute()
  await forgetBrowsersOf(db, userIds)
  await dropFactors(db, await withoutDomain(db, userIds))
  return ended
}

/** Ends all that a user has, and the user. In a transaction. */
export async function removeUser(db: Queryable, userId: string, now: number): Promise<Revoked> {
  const ended = await revokeTokens(db, { userIds: [userId] }, now)
  await db.deleteFrom('emailCode').where('userId', '=', userId).execute()
  await db.deleteFrom('membership').where('userId', '=', userId).execute()
  await dropFactors(db, [userId])
  await db.deleteFrom('user').where('id', '=', userId).execute()
  return ended
}

/** Whether the membership stopped counting, but what ends with it is still to be ended. */
export async function isLeaving(db: Queryable, domainId: string, userId: string): Promise<boolean> {
  const leaving = await db
    .selectFrom('membership')
    .innerJoin('synchronisation', 'synchronisation.id', 'membership.removedBy')
    .select('membership.sequence')
    .where('membership.domainId', '=', domainId)
    .where('membership.userId', '=', userId)
    .where('synchronisation.appliedAt', 'is not', null)
    .executeTakeFirst()
  return leaving !== undefined
}

async function withoutDomain(db: Queryable, userIds: readonly string[]): Promise<string[]> {
  const members = await db.selectFrom('member').select('userId').where('userId', 'in', userIds).execute()
  const remaining = new Set(members.map(({ userId }) => userId))
  return userIds.filter((id) => !remaining.has(id))
}

async function dropFactors(db: Queryable, userIds: readonly string[]): Promise<void> {
  if (userIds.length === 0) return
  await releaseHardwareTokens(db, userIds)
  await db.deleteFrom('bypassCode').where('userId', 'in', userIds).execute()
}

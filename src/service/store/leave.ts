import { endOtherSessions } from './epochs.ts'
import { releaseHardwareTokens } from './hardware.ts'
import type { Queryable } from './schema.ts'
import type { Secrets } from '../sealing/secrets.ts'
import { noneRevoked, revokeTokens } from './tokens.ts'
import type { Revoked } from './tokens.ts'

interface Leaving {
  /** Unix time, seconds. */
  readonly now: number
  readonly secrets: Secrets
}

/**
 * Ends memberships, and all that ends with them: tokens, devices and pending sessions there, codes that were e-mailed
 * for it. Who is in no domain any more has no use for a hardware token, which another one can have now, and for bypass
 * codes. In a transaction.
 */
export async function leaveDomain(
  db: Queryable,
  { domainId, userIds }: { domainId: string; userIds: readonly string[] },
  { now, secrets }: Leaving,
): Promise<Revoked> {
  if (userIds.length === 0) return noneRevoked
  const ended = await revokeTokens(db, { userIds, domainId }, now)
  await endOtherSessions(db, userIds)
  await db.deleteFrom('emailCode').where('userId', 'in', userIds).where('domainId', '=', domainId).execute()
  await db.deleteFrom('membership').where('userId', 'in', userIds).where('domainId', '=', domainId).execute()
  await dropFactors(db, secrets, await withoutDomain(db, userIds))
  return ended
}

/** Ends all that a user has, and the user. In a transaction. */
export async function removeUser(db: Queryable, userId: string, { now, secrets }: Leaving): Promise<Revoked> {
  const ended = await revokeTokens(db, { userIds: [userId] }, now)
  await endOtherSessions(db, [userId])
  await db.deleteFrom('emailCode').where('userId', '=', userId).execute()
  await db.deleteFrom('membership').where('userId', '=', userId).execute()
  await dropFactors(db, secrets, [userId])
  await db.deleteFrom('user').where('id', '=', userId).execute()
  return ended
}

/**
 * Whether the membership stopped counting, but what ends with it is still to be ended. Two statements: joined, PostgreSQL
 * may look for this membership among all that a synchronisation removes.
 */
export async function isLeaving(db: Queryable, domainId: string, userId: string): Promise<boolean> {
  const membership = await db
    .selectFrom('membership')
    .select('removedBy')
    .where('domainId', '=', domainId)
    .where('userId', '=', userId)
    .executeTakeFirst()
  if (!membership?.removedBy) return false
  const applied = await db
    .selectFrom('synchronisation')
    .select('id')
    .where('id', '=', membership.removedBy)
    .where('appliedAt', 'is not', null)
    .executeTakeFirst()
  return applied !== undefined
}

async function withoutDomain(db: Queryable, userIds: readonly string[]): Promise<string[]> {
  const members = await db.selectFrom('member').select('userId').where('userId', 'in', userIds).execute()
  const remaining = new Set(members.map(({ userId }) => userId))
  return userIds.filter((id) => !remaining.has(id))
}

async function dropFactors(db: Queryable, secrets: Secrets, userIds: readonly string[]): Promise<void> {
  if (userIds.length === 0) return
  await releaseHardwareTokens(db, secrets, userIds)
  await db.deleteFrom('bypassCode').where('userId', 'in', userIds).execute()
}

import { removeEmailCodes } from '../email-codes/statements.ts'
import { endKnownBrowsers } from '../browsers/statements.ts'
import { endOtherSessions } from './epochs.ts'
import { releaseHardwareTokens } from '../hardware/statements.ts'
import { removeMailReports } from '../mail-reports/statements.ts'
import { removeLastSignIn } from '../sessions/last-sign-ins.ts'
import { removeCeremonies } from '../passkeys/ceremony-statements.ts'
import { removePasskeys } from '../passkeys/statements.ts'
import type { Queryable } from '../../engine/database/schema.ts'
import { allValues, change, firstRow } from '../../engine/database/statement.ts'
import type { List, Slot } from '../../engine/database/statement.ts'
import type { Secrets } from '../../engine/secrets/secrets.ts'
import { removeTimeline } from '../people/timeline-statements.ts'
import { noneRevoked, revokeTokens } from '../devices/token-statements.ts'
import type { Revoked } from '../devices/token-statements.ts'

interface Leaving {
  /** Unix time, seconds. */
  readonly now: number
  readonly secrets: Secrets
}

/**
 * Ends memberships, in one domain or in all, and all that ends with them: tokens, devices and pending sessions there, codes
 * that were e-mailed for it. Users who are left without a domain also lose their hardware token, which becomes free for
 * another user, their passkeys and their bypass codes. In a transaction.
 */
export async function leaveDomain(
  db: Queryable,
  { domainId, userIds }: { domainId?: string; userIds: readonly string[] },
  { now, secrets }: Leaving,
): Promise<Revoked> {
  if (userIds.length === 0) return noneRevoked
  const ended = await revokeTokens(db, { userIds, domainId }, now)
  await endKnownBrowsers(db, userIds)
  await endOtherSessions(db, userIds)
  await removeEmailCodes(db, { userIds, domainId })
  await removeCeremonies(db, { userIds, domainId })
  await (domainId === undefined ? removeMemberships(db, userIds) : removeMembers(db, domainId, userIds))
  await dropFactors(db, secrets, await withoutDomain(db, userIds))
  return ended
}

/** Ends all that a user has, and the user. In a transaction. */
export async function removeUser(db: Queryable, userId: string, leaving: Leaving): Promise<Revoked> {
  const ended = await leaveDomain(db, { userIds: [userId] }, leaving)
  await removeLastSignIn(db, userId)
  await removeTimeline(db, userId)
  await removeMailReports(db, [userId])
  await deleteUser(db, userId)
  return ended
}

/**
 * Whether the membership stopped counting, but what ends with it is still to be ended. Two statements: joined, PostgreSQL
 * may look for this membership among all that a synchronization removes.
 */
export async function isLeaving(db: Queryable, domainId: string, userId: string): Promise<boolean> {
  const membership = await readMembership(db, domainId, userId)
  return Boolean(membership?.removedBy) && (await appliedSynchronization(db, membership?.removedBy ?? '')) !== undefined
}

const readMembership = firstRow('readMembership', (db, domainId: Slot<string>, userId: Slot<string>) =>
  db.selectFrom('membership').select('removedBy').where('domainId', '=', domainId).where('userId', '=', userId),
)

const appliedSynchronization = firstRow('appliedSynchronization', (db, id: Slot<string>) =>
  db.selectFrom('synchronization').select('id').where('id', '=', id).where('appliedAt', 'is not', null),
)

const removeMembers = change('removeMembers', (db, domainId: Slot<string>, userIds: List<string>) =>
  db.deleteFrom('membership').where('userId', 'in', userIds).where('domainId', '=', domainId),
)

const removeMemberships = change('removeMemberships', (db, userIds: List<string>) =>
  db.deleteFrom('membership').where('userId', 'in', userIds),
)

const deleteUser = change('deleteUser', (db, id: Slot<string>) => db.deleteFrom('user').where('id', '=', id))

const membersAmong = allValues('membersAmong', (db, userIds: List<string>) =>
  db.selectFrom('member').select('userId').where('userId', 'in', userIds),
)

const removeBypassCodes = change('removeBypassCodes', (db, userIds: List<string>) =>
  db.deleteFrom('bypassCode').where('userId', 'in', userIds),
)

async function withoutDomain(db: Queryable, userIds: readonly string[]): Promise<string[]> {
  const remaining = new Set(await membersAmong(db, userIds))
  return userIds.filter((id) => !remaining.has(id))
}

async function dropFactors(db: Queryable, secrets: Secrets, userIds: readonly string[]): Promise<void> {
  if (userIds.length === 0) return
  await releaseHardwareTokens(db, secrets, userIds)
  await removePasskeys(db, userIds)
  await removeBypassCodes(db, userIds)
}

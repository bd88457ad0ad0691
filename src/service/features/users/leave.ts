import { noneRevoked } from '../../engine/base/revoked.ts'
import type { Revoked } from '../../engine/base/revoked.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { allValues, change, firstRow } from '../../engine/database/statement.ts'
import type { List, Slot } from '../../engine/database/statement.ts'
import { runSteps } from '../../engine/steps/feature.ts'

type LeaveContext = Pick<ServiceContext, 'clock' | 'secrets' | 'features'>

interface Members {
  readonly userIds: readonly string[]
  /** Undefined for all domains. */
  readonly domainId?: string | undefined
}

/**
 * Ends memberships, in one domain or in all, and all that ends with them: tokens, devices and pending sessions there, codes
 * that were e-mailed for it. Users who are left without a domain also lose their hardware token, which becomes free for
 * another user, their passkeys and their bypass codes. Each feature says its part. In a transaction.
 */
export async function leaveDomain(
  db: Queryable,
  { clock, secrets, features }: LeaveContext,
  { domainId, userIds }: Members,
): Promise<Revoked> {
  if (userIds.length === 0) return noneRevoked
  const leaving = { userIds, domainId, now: clock.now(), secrets }
  const ended = await runSteps(features.membershipEnds, db, leaving)
  await (domainId === undefined ? removeMemberships(db, userIds) : removeMembers(db, domainId, userIds))
  const leavers = await withoutDomain(db, userIds)
  if (leavers.length > 0) await runSteps(features.lastMembershipEnds, db, { ...leaving, userIds: leavers })
  return ended
}

/** Ends all that a user has, and the user. In a transaction. */
export async function removeUser(db: Queryable, ctx: LeaveContext, userId: string): Promise<Revoked> {
  const ended = await leaveDomain(db, ctx, { userIds: [userId] })
  await runSteps(ctx.features.userEnds, db, { userId })
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

async function withoutDomain(db: Queryable, userIds: readonly string[]): Promise<string[]> {
  const remaining = new Set(await membersAmong(db, userIds))
  return userIds.filter((id) => !remaining.has(id))
}

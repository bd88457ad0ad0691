import { auditRevoked } from '../../engine/audit/audit.ts'
import type { AuditContext } from '../../engine/audit/audit.ts'
import type { Actor } from '../../engine/audit/entry.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import { hasExpired, tokenOf } from './possessions.ts'
import { markAllImported, markEnrolled } from '../users/enrollment.ts'
import type { Enrolling } from '../users/enrollment.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'

/**
 * The first step of every transaction that gives a user a factor. If only a first factor is allowed, exactly one of several
 * concurrent requests succeeds here, and activation codes that were meant for a first factor end.
 *
 * @returns false if a first factor is required and the user already had one.
 */
export async function enrollUser(
  db: Queryable,
  ctx: AuditContext,
  enrollment: Omit<Enrolling, 'first'> & { readonly first?: boolean },
  by: { readonly organizationId: string; readonly actor?: Actor },
): Promise<boolean> {
  const tokens = await markEnrolled(db, { first: false, ...enrollment })
  if (!tokens) return false
  await auditRevoked(db, ctx, { tokens, devices: [], sessions: [] }, by)
  return true
}

/** The same for several users, whose first factors come from another system. @returns the ids of those who never had a factor before. */
export async function enrollAllImported(
  db: Queryable,
  ctx: AuditContext,
  userIds: readonly string[],
  by: { readonly organizationId: string; readonly actor?: Actor },
): Promise<ReadonlySet<string>> {
  const { enrolled, tokens } = await markAllImported(db, userIds)
  await auditRevoked(db, ctx, { tokens, devices: [], sessions: [] }, by)
  return new Set(enrolled)
}

/** A user who is about to receive an activation code in person must not enroll with the password alone. */
export async function rejectWhileCodeIsIssued(
  db: Queryable,
  { clock }: Pick<ServiceContext, 'clock'>,
  domainId: string,
  userId: string,
): Promise<void> {
  const token = await tokenOf(db, domainId, userId)
  const pending = token?.state === 'pending' && !hasExpired(token, clock.now())
  if (pending && token.selfEnrollment !== 1) throw new ApiProblem('api.error.conflict.state')
}

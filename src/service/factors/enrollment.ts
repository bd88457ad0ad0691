import { auditRevoked } from '../audit/audit.ts'
import type { AuditContext } from '../audit/audit.ts'
import type { Actor } from '../audit/entry.ts'
import type { ServiceContext } from '../context/service-context.ts'
import { ApiProblem } from '../ground/problem.ts'
import { hasExpired } from '../rules/activation-code.ts'
import { markEnrolled } from '../store/enrollment.ts'
import type { Enrolling } from '../store/enrollment.ts'
import type { Queryable } from '../store/schema.ts'
import { tokenOf } from '../store/tokens.ts'

/**
 * The first step of every transaction that gives a user a factor. If only a first factor is allowed, exactly one of several
 * concurrent requests succeeds here, and activation codes that were meant for a first factor end.
 *
 * @returns false if a first factor is required and the user already had one.
 */
export async function enrollUser(
  db: Queryable,
  ctx: AuditContext,
  of: Omit<Enrolling, 'first'> & { readonly first?: boolean },
  by: { readonly organizationId: string; readonly actor?: Actor },
): Promise<boolean> {
  const tokens = await markEnrolled(db, { first: false, ...of })
  if (!tokens) return false
  await auditRevoked(db, ctx, { tokens, devices: [], sessions: [] }, by)
  return true
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

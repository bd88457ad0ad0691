import { auditRevoked } from '../audit/audit.ts'
import type { AuditContext } from '../audit/audit.ts'
import type { Actor } from '../audit/entry.ts'
import { markEnrolled } from '../store/enrollment.ts'
import type { Enrolling } from '../store/enrollment.ts'
import type { Queryable } from '../store/schema.ts'

/**
 * The first step of every transaction that gives a user a factor: whoever may only have a first one is told apart here,
 * however many try at once, and codes that were meant for a first one end.
 *
 * @returns false where it has to be the first one and is not.
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

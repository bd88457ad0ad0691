import type { CallState } from '../../../contract/phone-calls.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import type { CallerVerificationRow } from '../devices/call-statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { audit } from '../../engine/audit/audit.ts'
import type { AuditContext } from '../../engine/audit/audit.ts'
import { auditRefusal } from '../../engine/audit/refusals.ts'
import type { RefusalContext } from '../../engine/audit/refusals.ts'

/** Records that an administrator asks a device whether its user is on the phone. */
export function auditCallerAsked(db: Queryable, ctx: AuditContext, row: CallerVerificationRow): Promise<void> {
  return audit(db, ctx, { event: 'caller.asked', organizationId: row.organizationId, facts: factsOf(row) })
}

/** Records the answer of the device. */
export function auditCallerAnswer(db: Queryable, ctx: AuditContext, row: CallerVerificationRow): Promise<void> {
  const by = { organizationId: row.organizationId, actor: { kind: 'device', id: row.deviceId } } as const
  const reason = reasons[row.state]
  if (reason === undefined) return audit(db, ctx, { ...by, event: 'caller.confirmed', facts: factsOf(row) })
  return audit(db, ctx, { ...by, event: 'caller.denied', facts: { ...factsOf(row), reason } })
}

/** Records that nothing was asked because of too many questions. */
export async function auditCallerThrottled(
  ctx: RefusalContext & { readonly organizationId: string },
  error: unknown,
  facts: { readonly domain: string; readonly user: string; readonly administrator: string },
): Promise<void> {
  if (!(error instanceof ApiProblem) || error.code !== 'api.error.toomanyrequests') return
  await auditRefusal(ctx, { event: 'caller.throttled', organizationId: ctx.organizationId, facts })
}

const reasons: Partial<Record<CallState, 'user_denied' | 'reported' | 'wrong_number'>> = {
  denied: 'user_denied',
  reported: 'reported',
  wrong_number: 'wrong_number',
}

const factsOf = (row: CallerVerificationRow) => ({
  verification: row.id,
  administrator: row.requestedBy,
  domain: row.domainId,
  user: row.userId,
  device: row.deviceId,
})

import type { ApprovalDecision } from '../../../contract/approval-facts.ts'
import { audit } from '../../engine/audit/audit.ts'
import type { AuditContext } from '../../engine/audit/audit.ts'
import type { Actor } from '../../engine/audit/entry.ts'
import { auditRefusal } from '../../engine/audit/refusals.ts'
import type { RefusalContext } from '../../engine/audit/refusals.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import type { Outcome } from './rules.ts'
import type { ApprovalRow } from './statements.ts'

/** What entries say of an approval: its id and the digest of its content, and never the content. */
type Audited = Pick<ApprovalRow, 'id' | 'organizationId' | 'domainId' | 'digest'>

/** Records that people are asked. @param count How many. */
export function auditAsked(db: Queryable, ctx: AuditContext, approval: Audited, count: number): Promise<void> {
  const facts = { ...factsOf(approval), count }
  return audit(db, ctx, { event: 'approval.created', organizationId: approval.organizationId, facts })
}

interface Answered {
  readonly user: string
  readonly device: string | null
  readonly decision: ApprovalDecision
}

/** Records an answer of one person. @param actor The device; absent for a passkey, where the app is the actor. */
export function auditAnswer(
  db: Queryable,
  ctx: AuditContext,
  approval: Audited,
  answered: Answered,
  actor?: Actor,
): Promise<void> {
  const by = { organizationId: approval.organizationId, ...(actor && { actor }) }
  return audit(db, ctx, { ...by, event: 'approval.answered', facts: { ...factsOf(approval), ...answered } })
}

/** Records how an approval ended by answers, or because too few people can still answer. */
export function auditOutcome(
  db: Queryable,
  ctx: AuditContext,
  approval: Audited,
  { state, reason }: Outcome,
  actor?: Actor,
): Promise<void> {
  const by = { organizationId: approval.organizationId, ...(actor && { actor }) }
  const facts = factsOf(approval)
  if (state === 'approved') return audit(db, ctx, { ...by, event: 'approval.approved', facts })
  return audit(db, ctx, { ...by, event: 'approval.denied', facts: { ...facts, reason } })
}

type PlainEvent = 'approval.cancelled' | 'approval.expired' | 'approval.redeemed'

export function auditPlain(
  db: Queryable,
  ctx: AuditContext,
  event: PlainEvent,
  { id, organizationId, domainId }: Pick<Audited, 'id' | 'organizationId' | 'domainId'>,
): Promise<void> {
  return audit(db, ctx, { event, organizationId, facts: { approval: id, domain: domainId } })
}

export function auditRedeemRefused(
  ctx: RefusalContext,
  { id, organizationId, domainId }: Pick<Audited, 'id' | 'organizationId' | 'domainId'>,
): Promise<void> {
  return auditRefusal(ctx, {
    event: 'approval.redeem_refused',
    organizationId,
    facts: { approval: id, domain: domainId },
  })
}

/** Records that nobody was asked because of a limit or a block. */
export async function auditNotAsked(
  ctx: RefusalContext & { readonly organizationId: string },
  error: unknown,
  domain: string,
): Promise<void> {
  const reason = error instanceof ApiProblem ? refusals[error.code] : undefined
  if (reason === undefined) return
  const { organizationId } = ctx
  await auditRefusal(ctx, { event: 'approval.refused', organizationId, facts: { domain, reason } })
}

const refusals: Partial<Record<string, 'throttled' | 'reported'>> = {
  'api.error.toomanyrequests': 'throttled',
  'api.error.forbidden.requester': 'reported',
}

interface Block {
  readonly domain: string
  readonly user: string
  readonly until: number
}

/** Records that a person did not ask for what a requester asked. */
export function auditBlock(
  db: Queryable,
  ctx: AuditContext,
  approval: Audited,
  block: Block,
  actor: Actor,
): Promise<void> {
  const by = { organizationId: approval.organizationId, actor }
  return audit(db, ctx, { ...by, event: 'approval.requester_blocked', facts: { approval: approval.id, ...block } })
}

const factsOf = ({ id, domainId, digest }: Audited) => ({ approval: id, domain: domainId, digest })

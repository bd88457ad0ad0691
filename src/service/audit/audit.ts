import type { ServiceContext } from '../context.ts'
import type { Queryable } from '../store/schema.ts'
import type { Revoked } from '../store/tokens.ts'
import type { Actor, AuditEvent } from './entry.ts'
import type { Audited } from './events.ts'

export type AuditContext = Pick<ServiceContext, 'trail' | 'actor' | 'address'>

/** Writes down what happened, in the transaction in which it does. */
export function audit(db: Queryable, ctx: AuditContext, ...happened: readonly Audited[]): Promise<void> {
  return ctx.trail.append(
    db,
    happened.map((one) => eventOf(ctx, one)),
  )
}

/** What ended with a token, a membership or a user. */
export function auditRevoked(
  db: Queryable,
  ctx: AuditContext,
  { tokens, devices, sessions }: Revoked,
  by: { readonly organizationId: string; readonly actor?: Actor; readonly address?: string | null },
): Promise<void> {
  const of = ({ domainId: domain, userId: user }: { domainId: string; userId: string }) => ({ domain, user })
  return audit(
    db,
    ctx,
    ...tokens.map((one) => ({ ...by, event: 'token.revoked', facts: { token: one.id, ...of(one) } }) as const),
    ...devices.map((one) => ({ ...by, event: 'device.revoked', facts: { device: one.id, ...of(one) } }) as const),
    ...sessions.map((one) => ({ ...by, event: 'session.cancelled', facts: { session: one.id, ...of(one) } }) as const),
  )
}

function eventOf(ctx: AuditContext, { event, actor, organizationId, address, facts }: Audited): AuditEvent {
  return {
    event,
    actor: actor ?? ctx.actor,
    organizationId,
    address: address === undefined ? ctx.address : address,
    facts,
  }
}

import type { Because } from '../../../admin-contract/because.ts'
import type { Clock } from '../../../ground/clock.ts'
import type { Logger } from '../base/logger.ts'
import type { Queryable } from '../database/schema/schema.ts'
import type { Store } from '../database/store.ts'
import type { Revoked } from '../base/revoked.ts'
import type { Actor, AuditEvent } from './entry.ts'
import type { Audited, EventName, FactsOf } from './events.ts'
import type { Trail } from './trail.ts'

/** The trail that events are recorded in, and the actor who causes them. */
export interface AuditContext {
  readonly trail: Trail
  /** The actor, unless an event names another one. */
  readonly actor: Actor
  /** The address the actor calls from, where it is known. */
  readonly address: string | null
  /** Id of the request that is being answered, in log lines and audit entries; absent outside of requests. */
  readonly requestId?: string
  /** Why an administrator of the console acts on a person. */
  readonly because?: Because
  /** The job on many people that it is a part of. */
  readonly job?: string
}

/** The context for work on the trail itself. */
export interface TrailContext extends AuditContext {
  readonly store: Store
  readonly clock: Clock
  readonly logger: Logger
}

/** Records events in the transaction that causes them. */
export function audit(db: Queryable, ctx: AuditContext, ...happened: readonly Audited[]): Promise<void> {
  return ctx.trail.append(
    db,
    happened.map((event) => eventOf(ctx, event)),
  )
}

/** Records an event of the caller's organization. */
export function auditCall<E extends EventName>(
  db: Queryable,
  call: AuditContext & { readonly organizationId: string },
  event: E,
  facts: FactsOf<E>,
): Promise<void> {
  // The parameters guarantee that event and facts match; TypeScript cannot express this for a union of objects.
  return audit(db, call, { event, organizationId: call.organizationId, facts } as Audited)
}

/** Records what was revoked with a token, a membership or a user. */
export function auditRevoked(
  db: Queryable,
  ctx: AuditContext,
  { tokens, devices, sessions }: Revoked,
  by: { readonly organizationId: string; readonly actor?: Actor },
): Promise<void> {
  const base = { organizationId: by.organizationId, ...(by.actor && { actor: by.actor }) }
  const ownerFacts = ({ domainId: domain, userId: user }: { domainId: string; userId: string }) => ({ domain, user })
  return audit(
    db,
    ctx,
    ...tokens.map(
      (token) => ({ ...base, event: 'token.revoked', facts: { token: token.id, ...ownerFacts(token) } }) as const,
    ),
    ...devices.map(
      (device) => ({ ...base, event: 'device.revoked', facts: { device: device.id, ...ownerFacts(device) } }) as const,
    ),
    ...sessions.map(
      (session) =>
        ({ ...base, event: 'session.cancelled', facts: { session: session.id, ...ownerFacts(session) } }) as const,
    ),
  )
}

function eventOf(ctx: AuditContext, { event, actor, organizationId, address, facts }: Audited): AuditEvent {
  return {
    event,
    actor: actor ?? ctx.actor,
    organizationId,
    address: address === undefined ? ctx.address : address,
    facts,
    ...(ctx.requestId !== undefined && { requestId: ctx.requestId }),
    ...(ctx.because !== undefined && { because: ctx.because }),
    ...(ctx.job !== undefined && { job: ctx.job }),
  }
}

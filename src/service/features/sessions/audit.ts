import { ApiProblem } from '../../engine/base/problem.ts'
import type { Observer } from '../../engine/monitoring/observer.ts'
import type { Budget } from '../../../contract/known-browser.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import type { SessionRow } from './statements.ts'
import { audit } from '../../engine/audit/audit.ts'
import type { AuditContext } from '../../engine/audit/audit.ts'
import type { Actor } from '../../engine/audit/entry.ts'
import type { Audited } from '../../engine/audit/events.ts'
import { auditRefusal } from '../../engine/audit/refusals.ts'
import type { RefusalContext } from '../../engine/audit/refusals.ts'

interface By {
  readonly organizationId: string
  /** The actor, if it differs from the context's. */
  readonly actor?: Actor
}

/** Records the outcome of a session, with the address the app reported, which is that of the user who signs in. */
export function auditSession(db: Queryable, ctx: AuditContext, session: SessionRow, by: By): Promise<void> {
  return audit(db, ctx, { ...actorOf(by), address: session.ipAddress, ...outcomeOf(session) } as Audited)
}

/** Records the outcome of sessions that expired. */
export function auditSessions(
  db: Queryable,
  ctx: AuditContext,
  sessions: readonly SessionRow[],
  organizationOf: (session: SessionRow) => string,
): Promise<void> {
  const entryOf = (session: SessionRow) =>
    ({ organizationId: organizationOf(session), address: session.ipAddress, ...outcomeOf(session) }) as Audited
  return audit(db, ctx, ...sessions.map(entryOf))
}

export function auditRedeemed(db: Queryable, ctx: AuditContext, session: SessionRow, by: By): Promise<void> {
  const facts = { ...idsOf(session), factor: session.factor }
  return audit(db, ctx, { ...actorOf(by), event: 'session.redeemed', address: session.ipAddress, facts })
}

export function auditRedeemRefused(call: RefusalContext & By, session: SessionRow): Promise<void> {
  const { organizationId } = call
  const facts = idsOf(session)
  return auditRefusal(call, { event: 'session.redeem_refused', organizationId, address: session.ipAddress, facts })
}

/** Records that a session was not created because of too many attempts. */
export async function auditThrottled(
  call: RefusalContext & By & { readonly observer: Observer },
  error: unknown,
  limit: { readonly domain: string; readonly user: string; readonly budget: Budget; readonly address: string | null },
): Promise<void> {
  const event = error instanceof ApiProblem ? throttled[error.code] : undefined
  if (event === undefined) return
  call.observer.refused(event, limit.budget)
  const { address, ...facts } = limit
  await auditRefusal(call, { event, organizationId: call.organizationId, address, facts })
}

const throttled: Partial<Record<string, 'push.throttled' | 'codes.refused'>> = {
  'api.error.toomanyrequests': 'push.throttled',
  'api.error.locked': 'codes.refused',
}

function outcomeOf(session: SessionRow): Pick<Audited, 'event' | 'facts'> {
  const { deviceId: device, factor, reason } = session
  const ids = idsOf(session)
  if (session.state === 'pending') {
    return { event: 'session.created', facts: { ...ids, device, numbered: session.number !== null } }
  }
  if (session.state === 'approved') return { event: 'session.approved', facts: { ...ids, device, factor } }
  if (session.state === 'denied') return { event: 'session.denied', facts: { ...ids, device, factor, reason } }
  return { event: `session.${session.state}`, facts: ids }
}

const actorOf = ({ organizationId, actor }: By) => ({ organizationId, ...(actor && { actor }) })

const idsOf = ({ id: session, domainId: domain, userId: user }: SessionRow) => ({ session, domain, user })

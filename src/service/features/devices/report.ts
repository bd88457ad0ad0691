import type { Attribute } from '../../../contract/sessions.ts'
import { audit } from '../../engine/audit/audit.ts'
import type { Actor } from '../../engine/audit/entry.ts'
import { auditSession } from '../sessions/audit.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import { mailAfterCommit } from '../../engine/mail/mail-after-commit.ts'
import { pausePushes } from '../sessions/push-budget.ts'
import { noteInHistory } from './history-statements.ts'
import type { DeviceRow } from '../factors/possessions.ts'
import { organizationOfDomain } from '../domains/statements.ts'
import { endSessionsButKeys } from '../browsers/epochs.ts'
import { endBrowsersOf } from '../browsers/statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { denyOthersAsReported } from '../sessions/report-statements.ts'
import type { SessionRow } from '../sessions/statements.ts'
import { lockUser } from '../users/statements.ts'

/**
 * Locks the person who reports, before any session: two reports at once lock in the same order, and a request that is created at
 * the same time is either denied by the report or refused because of it.
 */
export async function lockReporter(db: Queryable, { domainId, userId }: DeviceRow): Promise<void> {
  await lockUser(db, await organizationOfDomain(db, domainId), userId)
}

interface By {
  readonly organizationId: string
  /** The device that reports. */
  readonly actor: Actor
}

/**
 * Ends what an attacker may have opened beside the reported request: all other requests of the person, in every domain,
 * approvals that were not redeemed, verified web sessions, known browsers, and the kept browsers that a request came from. Sends
 * no request for a while where one was open.
 * @returns the other requests, which are denied now.
 */
export async function blockAfterReport(
  ctx: ServiceContext,
  db: Queryable,
  reported: SessionRow,
  { organizationId, actor }: By,
): Promise<readonly SessionRow[]> {
  const otherSessions = await denyOthersAsReported(db, reported, ctx.clock.now())
  const { id: session, domainId: domain, userId: user, deviceId: device, ipAddress: address } = reported
  const facts = { session, domain, user, device, count: blockedBy(reported, otherSessions) }
  await audit(db, ctx, { event: 'session.reported', organizationId, actor, address, facts })
  for (const other of otherSessions) {
    await auditSession(db, ctx, other, { organizationId, actor })
    await noteInHistory(db, other)
  }
  for (const domainId of new Set([reported, ...otherSessions].map((endedSession) => endedSession.domainId))) {
    await pausePushes(ctx, db, { domainId, userId: user })
  }
  // The person says that someone else has them: a request from a kept browser is signed with its key.
  const ofAttacker = new Set([reported, ...otherSessions].flatMap(({ keptBrowser }) => keptBrowser ?? []))
  if (ofAttacker.size > 0) await endBrowsersOf(db, user, [...ofAttacker])
  await endSessionsButKeys(db, user)
  const attributes = JSON.parse(reported.attributes) as Attribute[]
  const notice = { kind: 'sign_in_reported', organizationId, userId: user, domainId: domain, attributes } as const
  await mailAfterCommit(db, { ...ctx, actor }, notice)
  return otherSessions
}

/** How many requests a report has denied: without the reported one where that had ended before. */
export function blockedBy(reported: SessionRow, otherSessions: readonly SessionRow[]): number {
  return otherSessions.length + (reported.reason === 'reported' ? 1 : 0)
}

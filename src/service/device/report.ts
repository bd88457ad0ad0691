import type { Attribute } from '../../contract/sessions.ts'
import { audit } from '../audit/audit.ts'
import type { Actor } from '../audit/entry.ts'
import { auditSession } from '../audit/sessions.ts'
import type { ServiceContext } from '../context/service-context.ts'
import { mailAfterCommit } from '../mail/mail-after-commit.ts'
import { pausePushes } from '../push/push-budget.ts'
import { noteInHistory } from '../store/device-history.ts'
import type { DeviceRow } from '../store/devices.ts'
import { organizationOfDomain } from '../store/domains.ts'
import { endSessionsButKeys } from '../store/epochs.ts'
import { endBrowsersOf } from '../store/known-browsers.ts'
import type { Queryable } from '../store/schema.ts'
import { denyOthersAsReported } from '../store/sessions.ts'
import type { SessionRow } from '../store/sessions.ts'
import { lockUser } from '../store/users.ts'

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
  const others = await denyOthersAsReported(db, reported, ctx.clock.now())
  const { id: session, domainId: domain, userId: user, deviceId: device, ipAddress: address } = reported
  const facts = { session, domain, user, device, count: blockedBy(reported, others) }
  await audit(db, ctx, { event: 'session.reported', organizationId, actor, address, facts })
  for (const other of others) {
    await auditSession(db, ctx, other, { organizationId, actor })
    await noteInHistory(db, other)
  }
  for (const domainId of new Set([reported, ...others].map((one) => one.domainId))) {
    await pausePushes(ctx, db, { domainId, userId: user })
  }
  // The person says that someone else has them: a request from a kept browser is signed with its key.
  const ofAttacker = new Set([reported, ...others].flatMap(({ keptBrowser }) => keptBrowser ?? []))
  if (ofAttacker.size > 0) await endBrowsersOf(db, user, [...ofAttacker])
  await endSessionsButKeys(db, user)
  const attributes = JSON.parse(reported.attributes) as Attribute[]
  const told = { kind: 'sign_in_reported', organizationId, userId: user, domainId: domain, attributes } as const
  await mailAfterCommit(db, { ...ctx, actor }, told)
  return others
}

/** How many requests a report has denied: without the reported one where that had ended before. */
export function blockedBy(reported: SessionRow, others: readonly SessionRow[]): number {
  return others.length + (reported.reason === 'reported' ? 1 : 0)
}

import { audit } from '../../engine/audit/audit.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import { mailOwnersOfReport } from '../../engine/mail/mail-owners.ts'
import { pausePushes } from '../sessions/push-budget.ts'
import { hashSecret } from '../../engine/base/secret.ts'
import { endSessionsButKeys } from '../browsers/epochs.ts'
import { domainsOfMember, mailReportBySecret, useMailReport } from './statements.ts'
import type { MailReport } from './statements.ts'
import { lockUser } from '../users/statements.ts'

/** @returns undefined where the secret of a link is unknown or has expired. Changes nothing. */
export function readMailReport({ store, clock }: ServiceContext, secret: string): Promise<MailReport | undefined> {
  return mailReportBySecret(store.db, hashSecret(secret), clock.now())
}

/**
 * The reader of a mail says that what it tells was not them: sends no request to the user for a while, ends verified web sessions, and
 * tells the owners. Takes neither factors nor kept browsers: who reads somebody else's mail must not lock them out. Acts once.
 */
export async function reportMail(ctx: ServiceContext, secret: string): Promise<void> {
  const hash = hashSecret(secret)
  await ctx.store.db.transaction().execute(async (db) => {
    const now = ctx.clock.now()
    const report = await mailReportBySecret(db, hash, now)
    if (!report || !(await lockUser(db, report.organizationId, report.userId))) return
    if (!(await useMailReport(db, hash, now))) return
    const { organizationId, userId } = report
    for (const domainId of await domainsOfMember(db, userId)) await pausePushes(ctx, db, { domainId, userId })
    await endSessionsButKeys(db, userId)
    await audit(db, ctx, { event: 'user.mail_reported', organizationId, facts: { user: userId } })
    await mailOwnersOfReport(db, ctx, report)
  })
}

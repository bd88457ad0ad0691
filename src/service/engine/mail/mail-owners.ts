import type { Queryable } from '../database/schema/schema.ts'
import { onTransactionEnd } from '../database/transaction-ends.ts'
import type { MailContext } from './mail-after-commit.ts'
import type { SecurityMail } from './security-mail.ts'

interface CallerEvent {
  readonly organizationId: string
  readonly domainId: string
  readonly userId: string
}

/** Mails the owners of the organization, once this transaction is committed, that a user answered No to the help desk. */
export async function mailOwnersAfterCommit(db: Queryable, ctx: MailContext, event: CallerEvent): Promise<void> {
  if (!ctx.securityMails) return
  const user = await ctx.securityMails.rows.user(db, event.organizationId, event.userId)
  await mailOwners(db, ctx, event, { kind: 'caller_denied', username: user?.username ?? '' })
}

/** The same, that a user says that they did not ask for an action that they were to approve. */
export async function mailOwnersOfApproval(db: Queryable, ctx: MailContext, event: CallerEvent): Promise<void> {
  if (!ctx.securityMails) return
  const user = await ctx.securityMails.rows.user(db, event.organizationId, event.userId)
  await mailOwners(db, ctx, event, { kind: 'approval_reported', username: user?.username ?? '' })
}

/** The same, that the reader of a mail about a user says that it was not them. */
export async function mailOwnersOfReport(
  db: Queryable,
  ctx: MailContext,
  { organizationId, username }: { organizationId: string; username: string },
): Promise<void> {
  if (ctx.securityMails)
    await mailOwners(db, ctx, { organizationId, domainId: null }, { kind: 'mail_reported', username })
}

interface JobEvent {
  readonly organizationId: string
  readonly domainId: string | null
  readonly requestedBy: string
  readonly people: number
  /** How many people its administrator has acted on in 24 hours. */
  readonly total: number
}

/** The same, that an administrator has started an action on many people. */
export async function mailOwnersOfJob(db: Queryable, ctx: MailContext, event: JobEvent): Promise<void> {
  if (!ctx.securityMails) return
  const administrator = await ctx.securityMails.rows.administrator(db, event.requestedBy)
  const { people, total } = event
  await mailOwners(db, ctx, event, { kind: 'bulk_started', username: administrator?.name ?? '', people, total })
}

/** The same, that an administrator has acted on many people one by one. */
export async function mailOwnersOfChanges(
  db: Queryable,
  ctx: MailContext,
  { organizationId, administratorId, total }: { organizationId: string; administratorId: string; total: number },
): Promise<void> {
  if (!ctx.securityMails) return
  const administrator = await ctx.securityMails.rows.administrator(db, administratorId)
  const about = { kind: 'many_changed', username: administrator?.name ?? '', total } as const
  await mailOwners(db, ctx, { organizationId, domainId: null }, about)
}

interface ExportEvent {
  readonly organizationId: string
  /** Null: people of every domain. */
  readonly domainId: string | null
  /** The user of the operating system who runs the command. */
  readonly by: string
  readonly people: number
}

/** The same, that the seeds of factors are exported. @returns how many owners are told. */
export const mailOwnersOfExport = (db: Queryable, ctx: MailContext, { by, people, ...event }: ExportEvent) =>
  mailOwners(db, ctx, event, { kind: 'factors_exported', username: by, people })

type About = Pick<SecurityMail, 'kind' | 'username' | 'people' | 'total'>

async function mailOwners(
  db: Queryable,
  { securityMails, clock }: MailContext,
  { organizationId, domainId }: { readonly organizationId: string; readonly domainId: string | null },
  about: About,
): Promise<number> {
  if (!securityMails) return 0
  const { rows } = securityMails
  const [organization, domain, owners] = await Promise.all([
    rows.organization(db, organizationId),
    domainId === null ? undefined : rows.domain(db, organizationId, domainId),
    rows.owners(db, organizationId),
  ])
  const names = { organization: organization?.name ?? '', domain: domain?.name }
  // Administrators have no language and no time zone of their own.
  const mail = { ...about, at: clock.now(), ...names, language: null, timeZone: null }
  onTransactionEnd(db, (ending) => {
    if (ending === 'undone') return
    for (const { id, email } of owners) securityMails.send(id, { ...mail, to: email })
  })
  return owners.length
}

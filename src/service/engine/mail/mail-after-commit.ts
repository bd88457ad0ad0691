import type { Clock } from '../../../ground/clock.ts'
import type { Queryable } from '../database/schema/schema.ts'
import { onTransactionEnd } from '../database/transaction-ends.ts'
import type { Actor } from '../audit/entry.ts'
import { factsOf } from './mail-facts.ts'
import type { FactSources } from './mail-facts.ts'
import type { SecurityEvent } from './security-mail.ts'
import type { SecurityMails } from './security-mails.ts'

/** The parts of a service that security mails need. */
export interface MailContext {
  readonly clock: Clock
  /** Undefined if none are sent. */
  readonly securityMails: SecurityMails | undefined
  /** The actor who causes the event, where that is known. */
  readonly actor?: Actor
}

/** An event, and the user it happened to. */
export interface UserEvent extends SecurityEvent, Omit<FactSources, 'userId'> {
  readonly organizationId: string
  readonly userId: string
  /** The domain where it happened; absent if it concerns every domain and none was named. */
  readonly domainId?: string | undefined
  /** An address that the user no longer has; absent for the current one. */
  readonly to?: string
}

/**
 * Mails the user about an event of this transaction once it is committed; nothing waits for the mail. The names are read
 * within the transaction, because they may change later.
 */
export async function mailAfterCommit(db: Queryable, ctx: MailContext, event: UserEvent): Promise<void> {
  const { securityMails } = ctx
  if (!securityMails) return
  const { rows } = securityMails
  const { organizationId, userId, domainId, kind, until, handedOver } = event
  const user = await rows.user(db, organizationId, userId)
  const to = event.to ?? user?.email ?? ''
  if (!user || to === '') return
  const organization = await rows.organization(db, organizationId)
  const domain = domainId === undefined ? undefined : await rows.domain(db, organizationId, domainId)
  const names = { organization: organization?.name ?? '', domain: domain?.name }
  const facts = await factsOf(db, rows, ctx.actor, event)
  const mail = {
    kind,
    until,
    handedOver,
    facts,
    at: ctx.clock.now(),
    ...names,
    to,
    language: user.language,
    timeZone: user.timeZone,
  }
  onTransactionEnd(db, (ending) => {
    if (ending !== 'undone') securityMails.send(userId, mail)
  })
}

import { ownersOf } from '../store/administrators.ts'
import { domainById } from '../store/domains.ts'
import { organizationById } from '../store/organizations.ts'
import type { Queryable } from '../store/schema.ts'
import { onTransactionEnd } from '../store/transaction-ends.ts'
import { userById } from '../store/users.ts'
import type { MailContext } from './mail-after-commit.ts'

interface CallerEvent {
  readonly organizationId: string
  readonly domainId: string
  readonly userId: string
}

/** Mails the owners of the organization, once this transaction is committed, that a user answered No to the help desk. */
export async function mailOwnersAfterCommit(db: Queryable, ctx: MailContext, event: CallerEvent): Promise<void> {
  const { securityMails } = ctx
  if (!securityMails) return
  const { organizationId, domainId, userId } = event
  const [organization, domain, user, owners] = await Promise.all([
    organizationById(db, organizationId),
    domainById(db, organizationId, domainId),
    userById(db, organizationId, userId),
    ownersOf(db, organizationId),
  ])
  const names = { organization: organization?.name ?? '', domain: domain?.name, username: user?.username ?? '' }
  // Administrators have no language of their own.
  const mail = { kind: 'caller_denied', at: ctx.clock.now(), ...names, language: null } as const
  onTransactionEnd(db, (ending) => {
    if (ending === 'undone') return
    for (const { id, email } of owners) securityMails.send(id, { ...mail, to: email })
  })
}

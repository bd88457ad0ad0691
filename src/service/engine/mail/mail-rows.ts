import type { AdminRole } from '../../../contract/roles.ts'
import type { Queryable } from '../database/schema/schema.ts'

/** Reads what mails name, within the transaction of an event. */
export interface MailRows {
  user(db: Queryable, organizationId: string, id: string): Promise<MailedUser | undefined>
  organization(db: Queryable, id: string): Promise<NamedOwner | undefined>
  domain(db: Queryable, organizationId: string, id: string): Promise<NamedOwner | undefined>
  device(db: Queryable, id: string): Promise<NamedOwner | undefined>
  administrator(db: Queryable, id: string): Promise<(NamedOwner & { readonly role: AdminRole }) | undefined>
  owners(db: Queryable, organizationId: string): Promise<readonly { readonly id: string; readonly email: string }[]>
  /** The session with which a user has confirmed a change. */
  confirmation(
    db: Queryable,
    user: { id: string; userId: string },
  ): Promise<{ readonly attributes: string } | undefined>
}

interface NamedOwner {
  readonly name: string
}

interface MailedUser {
  readonly username: string
  readonly email: string
  readonly language: string | null
  readonly timeZone: string | null
}

import { needsDomains } from '../../../contract/roles.ts'
import type { AdminRole } from '../../../contract/roles.ts'
import type { SignedIn } from '../../engine/context/caller.ts'
import { membersOfSome } from '../../engine/audit/page-statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'

/** An administrator, or one who was invited. */
interface Colleague {
  readonly role: AdminRole
  /** Empty for the whole organization, or if it has lost every domain. */
  readonly domains: readonly string[]
}

/**
 * Whether a colleague concerns an administrator of some domains: it may act in one of them. The address of one
 * who manages only other apps would tell an attacker whom to write to.
 */
export function isConcernedBy({ domainIds }: Pick<SignedIn, 'domainIds'>, { role, domains }: Colleague): boolean {
  if (domainIds === null) return true
  if (domains.length === 0) return !needsDomains(role)
  return domains.some((id) => domainIds.includes(id))
}

/** The people whom a colleague is linked to, or has the e-mail address of. Only administrators, not invitations, have the latter. */
interface Linked {
  readonly user: string | null
  readonly namesakes?: string[]
}

/** The colleagues that concern an administrator: those who may act in its domains, without their other domains and people. */
export async function concerning<C extends Colleague & Linked>(
  db: Queryable,
  administrator: Pick<SignedIn, 'domainIds'>,
  colleagues: readonly C[],
): Promise<C[]> {
  const concernedColleagues: C[] = []
  for (const colleague of colleagues.filter((candidate) => isConcernedBy(administrator, candidate))) {
    concernedColleagues.push(await asSeenBy(db, administrator, colleague))
  }
  return concernedColleagues
}

/**
 * An administrator without the domains and people that another one does not see. Administrators see themselves in this way too: people
 * of other apps may have their e-mail address.
 */
export async function asSeenBy<C extends Colleague & Linked>(
  db: Queryable,
  { domainIds }: Pick<SignedIn, 'domainIds'>,
  colleague: C,
): Promise<C> {
  if (domainIds === null) return colleague
  const { user, namesakes } = colleague
  const people = [...(user === null ? [] : [user]), ...(namesakes ?? [])]
  const visible = new Set((await membersOfSome(db, people, domainIds)).map(({ userId }) => userId))
  return {
    ...colleague,
    domains: colleague.domains.filter((id) => domainIds.includes(id)),
    user: user !== null && visible.has(user) ? user : null,
    ...(namesakes && { namesakes: namesakes.filter((id) => visible.has(id)) }),
  }
}

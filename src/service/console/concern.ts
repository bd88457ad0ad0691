import { needsDomains } from '../../contract/admin/roles.ts'
import type { AdminRole } from '../../contract/admin/roles.ts'
import type { SignedIn } from '../context/caller.ts'
import { isMemberOfSome } from '../store/members.ts'
import type { Queryable } from '../store/schema.ts'

/** An administrator, or one who was invited. */
interface Colleague {
  readonly role: AdminRole
  /** Empty for the whole organization, or if it has lost every domain. */
  readonly domains: readonly string[]
}

/**
 * Whether a colleague concerns an administrator of some domains: it may act in one of them. Who manages only other apps does not,
 * and its address would tell an attacker whom to write to.
 */
export function isConcernedBy({ domainIds }: Pick<SignedIn, 'domainIds'>, { role, domains }: Colleague): boolean {
  if (domainIds === null) return true
  if (domains.length === 0) return !needsDomains(role)
  return domains.some((id) => domainIds.includes(id))
}

/** What concerns an administrator of its colleagues: those who may act in its domains, without their other domains and people. */
export async function concerning<C extends Colleague & { readonly user: string | null }>(
  db: Queryable,
  administrator: Pick<SignedIn, 'domainIds'>,
  colleagues: readonly C[],
): Promise<C[]> {
  const { domainIds } = administrator
  if (domainIds === null) return [...colleagues]
  const shown: C[] = []
  for (const colleague of colleagues.filter((one) => isConcernedBy(administrator, one))) {
    const isVisible = colleague.user !== null && (await isMemberOfSome(db, colleague.user, domainIds))
    const domains = colleague.domains.filter((id) => domainIds.includes(id))
    shown.push({ ...colleague, domains, user: isVisible ? colleague.user : null })
  }
  return shown
}

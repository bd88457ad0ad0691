import type { SignedIn } from '../../engine/context/caller.ts'
import { visibleDomains } from './rules.ts'
import { administratorById, domainsOfAdministrators } from './statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'

/** An administrator as it is stored now. */
export type PresentAdministrator = Omit<SignedIn, 'session'>

/** @returns undefined for an administrator whose access was revoked. */
export async function presentAdministrator(db: Queryable, id: string): Promise<PresentAdministrator | undefined> {
  const row = await administratorById(db, id)
  if (!row || row.revokedAt !== null) return undefined
  const { organizationId, role, userId, email } = row
  const domains = await domainsOfAdministrators(db, [id])
  const domainIds = visibleDomains(
    role,
    domains.map(({ domainId }) => domainId),
  )
  return { id, organizationId, role, userId, email, domainIds }
}

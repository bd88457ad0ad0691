import { bulkRoles, maxBulkPeople } from '../../../contract/admin/bulk-jobs.ts'
import type { BulkAction } from '../../../contract/admin/bulk-jobs.ts'
import { mayCall } from '../../../contract/admin/roles.ts'
import type { SignedIn } from '../../context/caller.ts'
import { visibleDomains } from '../../rules/console-role.ts'
import { administratorById, domainsOfAdministrators } from '../../store/administrators.ts'
import type { Queryable } from '../../store/schema.ts'

/** The administrator of a job, as it is now. */
export type JobAdministrator = Omit<SignedIn, 'session'>

interface Job {
  readonly action: BulkAction
  readonly domainId: string | null
  readonly people: number
}

/** @returns undefined for an administrator whose access was revoked. */
export async function presentAdministrator(db: Queryable, id: string): Promise<JobAdministrator | undefined> {
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

/** Whether an administrator may run a job. It is asked again before each person is changed. */
export function mayRun({ role, domainIds }: JobAdministrator, { action, domainId, people }: Job): boolean {
  const admin = { role: bulkRoles[action], scope: 'domain' } as const
  const isOfDomain = domainId === null || domainIds === null || domainIds.includes(domainId)
  return mayCall(role, { method: 'POST', admin }) && isOfDomain && people <= maxBulkPeople(role, action)
}

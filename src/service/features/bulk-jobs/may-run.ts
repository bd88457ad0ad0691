import { bulkRoles, maxBulkPeople } from '../../../admin-contract/bulk-jobs.ts'
import type { BulkAction } from '../../../admin-contract/bulk-jobs.ts'
import { mayCall } from '../../../contract/roles.ts'
import type { PresentAdministrator } from '../administrators/present-administrator.ts'

interface Job {
  readonly action: BulkAction
  readonly domainId: string | null
  readonly people: number
}

/** Whether an administrator may run a job. It is asked again before each person is changed. */
export function mayRun({ role, domainIds }: PresentAdministrator, { action, domainId, people }: Job): boolean {
  const admin = { role: bulkRoles[action], scope: 'domain' } as const
  const isOfDomain = domainId === null || domainIds === null || domainIds.includes(domainId)
  return mayCall(role, { method: 'POST', admin }) && isOfDomain && people <= maxBulkPeople(role, action)
}

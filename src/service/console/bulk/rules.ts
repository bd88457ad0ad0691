import { bulkRoles, maxBulkPeople } from '../../../contract/admin/bulk-jobs.ts'
import type { BulkAction, BulkReason } from '../../../contract/admin/bulk-jobs.ts'
import { mayCall } from '../../../contract/admin/roles.ts'
import type { SignedIn } from '../../context/caller.ts'
import { visibleDomains } from '../../rules/console-role.ts'
import { administratorById, domainsOfAdministrators } from '../../store/administrators.ts'
import { membersOfSome } from '../../store/audit-pages.ts'
import { isHelpDeskBlocked } from '../../store/caller-verifications.ts'
import { presentUsers } from '../../store/people.ts'
import type { Queryable } from '../../store/schema.ts'
import { isOwnUser } from '../own-record.ts'

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
  return mayCall(role, { method: 'POST', admin }) && isOfDomain && people <= maxBulkPeople[role]
}

interface Asked {
  readonly administrator: JobAdministrator
  readonly job: Pick<Job, 'action' | 'domainId'>
  readonly now: number
}

/** Why people are left out. The same rules hold when a job is prepared, and again when it comes to each person. */
export async function refusals(
  db: Queryable,
  { administrator, job, now }: Asked,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, BulkReason>> {
  const { organizationId, domainIds, role } = administrator
  const users = new Map((await presentUsers(db, organizationId, userIds)).map((user) => [user.id, user]))
  const ids = [...users.keys()]
  const visible = domainIds === null ? users : await membersAmong(db, ids, domainIds)
  const members = job.domainId === null ? users : await membersAmong(db, ids, [job.domainId])
  const refused = new Map<string, BulkReason>()
  for (const id of userIds) {
    const user = users.get(id)
    if (!user || !visible.has(id)) refused.set(id, 'not_found')
    else if (isOwnUser(administrator, user)) refused.set(id, 'own')
    else if (!members.has(id)) refused.set(id, 'not_member')
    // The help desk has few people in a job.
    else if (role === 'helpdesk' && (await isHelpDeskBlocked(db, id, now))) refused.set(id, 'blocked')
  }
  return refused
}

async function membersAmong(
  db: Queryable,
  userIds: readonly string[],
  domainIds: readonly string[],
): Promise<ReadonlySet<string>> {
  return new Set((await membersOfSome(db, userIds, domainIds)).map(({ userId }) => userId))
}

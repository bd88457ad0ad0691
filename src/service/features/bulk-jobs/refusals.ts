import type { BulkAction, BulkReason } from '../../../admin-contract/bulk-jobs.ts'
import { canUnlock } from '../people/lift-budget.ts'
import type { Call } from '../../engine/http/route.ts'
import { membersOfSome } from '../../engine/audit/page-statements.ts'
import { belongings } from '../users/belongings.ts'
import { isHelpDeskBlocked } from '../administrators/caller-statements.ts'
import { presentUsers } from '../people/person-statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { signedIn } from '../administrators/call.ts'
import { ownership } from '../administrators/own-record.ts'
import { mailRefusals } from './mails.ts'

interface Job {
  readonly action: BulkAction
  readonly domainId: string | null
}

/**
 * Why people are left out. The same rules hold when a job is prepared, and again when it comes to each person.
 * @param call As the administrator of the job makes it.
 */
export async function refusals(
  db: Queryable,
  call: Call,
  job: Job,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, BulkReason>> {
  const refused = await personRefusals(db, call, job, userIds)
  const otherUserIds = userIds.filter((id) => !refused.has(id))
  if (job.action === 'unlock') return new Map([...refused, ...(await unlockRefusals(db, call, otherUserIds))])
  if (job.action !== 'enrollment_mail') return refused
  return new Map([...refused, ...(await mailRefusals(db, call, job.domainId ?? '', otherUserIds))])
}

/** The rules of unlocking one person, for many. */
async function unlockRefusals(
  db: Queryable,
  call: Call,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, BulkReason>> {
  const { domainIds, role } = signedIn(call)
  const now = call.clock.now()
  const belongingsById = domainIds === null ? undefined : await belongings(db, [...userIds], now)
  const refused = new Map<string, BulkReason>()
  for (const id of userIds) {
    const isElsewhere = belongingsById?.get(id)?.domainIds.some((domainId) => !domainIds?.includes(domainId))
    if (isElsewhere) refused.set(id, 'elsewhere')
    else if (!(await canUnlock(db, role, id, now))) refused.set(id, 'limit')
  }
  return refused
}

/** The reasons that hold for every action on a person. */
export async function personRefusals(
  db: Queryable,
  call: Call,
  job: Job,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, BulkReason>> {
  const administrator = signedIn(call)
  const { organizationId, domainIds, role } = administrator
  const rows = (await presentUsers(db, userIds)).filter((user) => user.organizationId === organizationId)
  const users = new Map(rows.map((user) => [user.id, user]))
  const ids = [...users.keys()]
  const visible = domainIds === null ? users : await membersAmong(db, ids, domainIds)
  const members = job.domainId === null ? users : await membersAmong(db, ids, [job.domainId])
  const refused = new Map<string, BulkReason>()
  for (const id of userIds) {
    const user = users.get(id)
    const userOwnership = user && (await ownership(db, administrator, user))
    if (!user || !visible.has(id)) refused.set(id, 'not_found')
    else if (userOwnership === 'own') refused.set(id, 'own')
    // With the same e-mail address: another administrator has to consent to each change.
    else if (userOwnership === 'undecided') refused.set(id, 'guarded')
    else if (!members.has(id)) refused.set(id, 'not_member')
    // One query for each person: a job of the help desk has at most 50.
    else if (role === 'helpdesk' && (await isHelpDeskBlocked(db, id, call.clock.now()))) refused.set(id, 'blocked')
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

import { z } from 'zod'

import { endpoint } from '../contract/endpoint.ts'
import { Id, Seconds } from '../contract/text.ts'
import { Because } from './because.ts'
import { PeopleSearch } from './people.ts'
import type { AdminRole } from '../contract/roles.ts'

/** The action of a job on each of its people. */
export const BulkAction = z.enum(['unlock', 'enrollment_mail', 'remove_member'])
export type BulkAction = z.infer<typeof BulkAction>

/** The lowest role for each action. The help desk does no guarded action on many people at once. */
export const bulkRoles: Readonly<Record<BulkAction, AdminRole>> = {
  unlock: 'admin',
  enrollment_mail: 'helpdesk',
  remove_member: 'admin',
}

/** How many people one job changes at most, by the role of its administrator. */
const maxOfRole: Readonly<Record<AdminRole, number>> = { owner: 10_000, admin: 10_000, helpdesk: 50, auditor: 0 }

/** Mail servers slow down, or refuse, who sends more at once. */
const maxMails = 1_000

export const maxBulkPeople = (role: AdminRole, action: BulkAction): number =>
  action === 'enrollment_mail' ? Math.min(maxOfRole[role], maxMails) : maxOfRole[role]

/** How many people the jobs of one administrator change in 24 hours at most, by its role: several jobs count as one. */
export const maxPeopleADay: Readonly<Record<AdminRole, number>> = {
  owner: Infinity,
  admin: Infinity,
  helpdesk: maxOfRole.helpdesk,
  auditor: 0,
}

/**
 * Owners are told by mail when one administrator has acted on more people than this in 24 hours, however many jobs that takes, and
 * again after as many more.
 */
export const peopleAlert = 100

/** How long a job can be started after it was prepared, seconds. */
export const bulkJobLifetime = 15 * 60

/** Why a person is not changed. */
export const BulkReason = z.enum([
  /** The administrator's own record. */
  'own',
  /** The person no longer exists or is not visible to the administrator. */
  'not_found',
  'not_member',
  /** The person belongs to a domain that the administrator does not manage, and the action counts there as well. */
  'elsewhere',
  /** The person said No to the help desk. */
  'blocked',
  /** The person has no e-mail address. */
  'no_email',
  /** The person has a device in this domain, which no mail replaces. */
  'enrolled',
  /** The e-mail address changed within 7 days: the help desk mails there only one by one, with a verified caller. */
  'guarded',
  /** As many mails as are allowed in 24 hours were sent, or the person was unlocked too often. */
  'limit',
  /** The service could not do it. */
  'failed',
])
export type BulkReason = z.infer<typeof BulkReason>

export const BulkState = z.enum([
  'prepared',
  'running',
  'done',
  'cancelled',
  /** The administrator lost the access that the job needs. */
  'stopped',
])
export type BulkState = z.infer<typeof BulkState>

const count = z.int().min(0)

export const BulkJob = z.object({
  id: Id,
  action: BulkAction,
  /** The domain that people are removed from, or that the mails are about. */
  domain: Id.optional(),
  because: Because,
  state: BulkState,
  requestedBy: z.object({ id: Id, name: z.string() }),
  /** How many people it is to change. `start` repeats this number. */
  people: count,
  /** How many of them have been dealt with. */
  done: count,
  skipped: count,
  failed: count,
  /** People of the selection whom it leaves out, by reason. */
  leftOut: z.array(z.object({ reason: BulkReason, people: count })),
  createdAt: Seconds,
  startedAt: Seconds.optional(),
  finishedAt: Seconds.optional(),
})
export type BulkJob = z.infer<typeof BulkJob>

export const prepareBulkJob = endpoint({
  method: 'POST',
  path: '/admin/bulk-jobs',
  summary:
    'Prepares an action on many people, and says how many it would change and whom it leaves out. Nothing happens until it is started, within 15 minutes.',
  body: z.object({
    action: BulkAction,
    because: Because,
    /** The domain that people are removed from, or that the mails are about. */
    domain: Id.optional(),
    /** The people by their ids, or everyone whom a search finds. */
    people: z.array(Id).min(1).max(1_000).optional(),
    search: PeopleSearch.optional(),
  }),
  response: BulkJob,
  since: '1.4',
  admin: { role: 'helpdesk', scope: 'domain', fresh: true },
  // `conflict.state`: a newer preview of the administrator has taken its place.
  errors: ['api.error.notfound.domain', 'api.error.limit.people', 'api.error.conflict.state'],
})

export const listBulkJobs = endpoint({
  method: 'GET',
  path: '/admin/bulk-jobs',
  summary:
    'Lists the jobs of 30 days that were started, newest first: those of the caller, or of everyone for those who see the whole organization.',
  response: z.array(BulkJob),
  since: '1.4',
  admin: { role: 'helpdesk', scope: 'domain' },
})

export const getBulkJob = endpoint({
  method: 'GET',
  path: '/admin/bulk-jobs/:bulkJobId',
  summary: 'Reads a job with its progress.',
  response: BulkJob,
  since: '1.4',
  admin: { role: 'helpdesk', scope: 'domain' },
})

export const startBulkJob = endpoint({
  method: 'POST',
  path: '/admin/bulk-jobs/:bulkJobId/start',
  summary:
    'Starts a job that the caller has prepared. `people` has to be its number of people. Starting it again changes nothing.',
  body: z.object({ people: z.int().min(1) }),
  response: BulkJob,
  since: '1.4',
  admin: { role: 'helpdesk', scope: 'domain', fresh: true },
  errors: ['api.error.conflict.people', 'api.error.conflict.state', 'api.error.forbidden.own'],
})

export const cancelBulkJob = endpoint({
  method: 'POST',
  path: '/admin/bulk-jobs/:bulkJobId/cancel',
  summary: 'Cancels a job. What it has done already stays.',
  response: BulkJob,
  since: '1.4',
  admin: { role: 'helpdesk', scope: 'domain', fresh: true },
})

export const exportBulkReport = endpoint({
  method: 'GET',
  path: '/admin/bulk-jobs/:bulkJobId/report.csv',
  summary: 'Downloads what became of each person of a job, as CSV. The trail records it with its number of people.',
  media: 'text/csv',
  response: z.string(),
  since: '1.4',
  admin: { role: 'helpdesk', scope: 'domain' },
})

import type * as contract from '../../../admin-contract/bulk-jobs.ts'
import type { BulkJob } from '../../../admin-contract/bulk-jobs.ts'
import { audit } from '../../engine/audit/audit.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import type { Call, Handler } from '../../engine/http/route.ts'
import { mailOwnersOfJob } from '../../engine/mail/mail-owners.ts'
import { bulkJobsOf, ownBulkJobsOf, startBulkJob } from './statements.ts'
import { bulkJobById } from '../administrators/scope-statements.ts'
import type { BulkJobRow } from '../administrators/scope-statements.ts'
import { signedIn } from '../administrators/call.ts'
import type { ChangeHandler } from '../administrators/change.ts'
import { endJob, factsOf } from './end.ts'
import { takePeople } from '../administrators/people-budget.ts'
import { startableSince } from './prepare.ts'
import { mayRun } from './may-run.ts'
import { loadJob, view, viewOf } from './view.ts'

export const list: Handler<typeof contract.listBulkJobs> = async (_input, call) => {
  const { id: requestedBy, organizationId, domainIds } = signedIn(call)
  const { db } = call.store
  const rows = domainIds === null ? bulkJobsOf(db, organizationId) : ownBulkJobsOf(db, { organizationId, requestedBy })
  const views: BulkJob[] = []
  for (const row of await rows) views.push(await view(call, row))
  return views
}

export const get: Handler<typeof contract.getBulkJob> = async ({ bulkJobId }, call) => {
  // Takes over what a process has left behind, as long as someone waits for it.
  call.bulkJobs.wake()
  return viewOf(call, bulkJobId)
}

/** Starts the job; of several requests at once, one does. */
export const start: ChangeHandler<typeof contract.startBulkJob> = async ({ bulkJobId, people }, call, change) => {
  await change(async (inside) => {
    const row = await loadJob(inside, bulkJobId)
    if (row.requestedBy !== signedIn(inside).id) throw new ApiProblem('api.error.forbidden.own')
    if (people !== row.people)
      throw new ApiProblem('api.error.conflict.people', `people: expected ${row.people}, the number of the preview`)
    if (row.state === 'prepared') await startPrepared(inside, row)
  })
  call.bulkJobs.wake()
  return viewOf(call, bulkJobId)
}

/** Call it in a transaction. */
async function startPrepared(call: Call, row: BulkJobRow): Promise<void> {
  const { id, requestedBy, people } = row
  const { db } = call.store
  const now = call.clock.now()
  if (!mayRun(signedIn(call), row)) throw new ApiProblem('api.error.forbidden')
  if (!(await startBulkJob(db, { id, requestedBy, since: startableSince(now) }, now))) {
    if ((await bulkJobById(db, id))?.state === 'prepared') throw cannotStart()
    return
  }
  const { total, alerts } = await takePeople(db, call, people)
  await audit(
    db,
    { ...call, because: row.because },
    { event: 'bulk.started', organizationId: row.organizationId, facts: { ...factsOf(row), count: people } },
  )
  if (alerts) await mailOwnersOfJob(db, call, { ...row, total })
}

export const cancel: ChangeHandler<typeof contract.cancelBulkJob> = async ({ bulkJobId }, call, change) => {
  await change(async (inside) => endJob(inside.store.db, inside, await loadJob(inside, bulkJobId), 'cancelled'))
  return viewOf(call, bulkJobId)
}

const cannotStart = () =>
  new ApiProblem(
    'api.error.conflict.state',
    'Another job of yours still runs, or the preview is older than 15 minutes.',
  )

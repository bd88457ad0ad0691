import type { BulkJob, BulkReason } from '../../../admin-contract/bulk-jobs.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import type { Call } from '../../engine/http/route.ts'
import { administratorById } from '../administrators/statements.ts'
import { bulkCounts } from './statements.ts'
import { bulkJobById } from '../administrators/scope-statements.ts'
import type { BulkJobRow } from '../administrators/scope-statements.ts'

export const viewOf = async (call: Call, id: string): Promise<BulkJob> => view(call, await loadJob(call, id))

export async function loadJob({ store }: Call, id: string): Promise<BulkJobRow> {
  const row = await bulkJobById(store.db, id)
  if (!row) throw new ApiProblem('api.error.notfound.bulkjob')
  return row
}

export async function view({ store: { db } }: Call, row: BulkJobRow): Promise<BulkJob> {
  const { id, action, domainId, because, state, people, createdAt, startedAt, finishedAt } = row
  const counts = (await bulkCounts(db, id)).map((one) => ({ ...one, people: Number(one.people) }))
  const ofState = (wanted: string) => counts.filter((one) => one.state === wanted)
  const sum = (wanted: string) => ofState(wanted).reduce((all, one) => all + one.people, 0)
  const requester = await administratorById(db, row.requestedBy)
  return {
    id,
    action,
    ...(domainId !== null && { domain: domainId }),
    because,
    state,
    requestedBy: { id: row.requestedBy, name: requester?.name ?? '' },
    people,
    done: sum('done'),
    skipped: sum('skipped'),
    failed: sum('failed'),
    leftOut: ofState('left_out').map((one) => ({ reason: one.reason as BulkReason, people: one.people })),
    createdAt,
    ...(startedAt !== null && { startedAt }),
    ...(finishedAt !== null && { finishedAt }),
  }
}

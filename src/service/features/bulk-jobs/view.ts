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
  const counts = (await bulkCounts(db, id)).map((entry) => ({ ...entry, people: Number(entry.people) }))
  const ofState = (itemState: string) => counts.filter((count) => count.state === itemState)
  const sum = (itemState: string) => ofState(itemState).reduce((all, entry) => all + entry.people, 0)
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
    leftOut: ofState('left_out').map((entry) => ({ reason: entry.reason as BulkReason, people: entry.people })),
    createdAt,
    ...(startedAt !== null && { startedAt }),
    ...(finishedAt !== null && { finishedAt }),
  }
}

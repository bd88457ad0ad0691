import { audit } from '../../engine/audit/audit.ts'
import type { AuditContext } from '../../engine/audit/audit.ts'
import type { Clock } from '../../../ground/clock.ts'
import { bulkCounts, endBulkJob } from './statements.ts'
import type { BulkJobRow } from '../administrators/scope-statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { releasePeople } from '../administrators/people-budget.ts'

const events = { done: 'bulk.finished', cancelled: 'bulk.cancelled', stopped: 'bulk.stopped' } as const

/** Ends a job once, with its result in the trail if it had started. In a transaction. */
export async function endJob(
  db: Queryable,
  ctx: AuditContext & { readonly clock: Clock },
  row: BulkJobRow,
  state: keyof typeof events,
): Promise<void> {
  if (!(await endBulkJob(db, row.id, state, ctx.clock.now())) || row.startedAt === null) return
  const counts = await bulkCounts(db, row.id)
  const sum = (itemState: string) =>
    counts.reduce((all, entry) => all + (entry.state === itemState ? Number(entry.people) : 0), 0)
  const [changed, skipped, failures] = [sum('done'), sum('skipped'), sum('failed')]
  await releasePeople(db, row, row.people - changed - failures)
  await audit(db, ctx, {
    event: events[state],
    organizationId: row.organizationId,
    facts: { ...factsOf(row), changed, skipped, failures },
  })
}

/** The facts in every event of a job. */
export function factsOf({ id, action, domainId }: Pick<BulkJobRow, 'id' | 'action' | 'domainId'>) {
  return { job: id, operation: action, domain: domainId }
}

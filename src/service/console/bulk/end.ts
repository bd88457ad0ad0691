import { audit } from '../../audit/audit.ts'
import type { AuditContext } from '../../audit/audit.ts'
import type { Audited } from '../../audit/events.ts'
import type { Clock } from '../../../clock.ts'
import { bulkCounts, endBulkJob } from '../../store/bulk-jobs.ts'
import type { BulkJobRow } from '../../store/bulk-jobs.ts'
import type { Queryable } from '../../store/schema.ts'

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
  const sum = (wanted: string) => counts.reduce((all, one) => all + (one.state === wanted ? Number(one.people) : 0), 0)
  const facts = { changed: sum('done'), skipped: sum('skipped'), failures: sum('failed') }
  await auditJob(db, ctx, row, events[state], facts)
}

/** Records an event of a job. */
export function auditJob(
  db: Queryable,
  ctx: AuditContext,
  { id: job, action: operation, domainId: domain, organizationId }: BulkJobRow,
  event: 'bulk.started' | (typeof events)[keyof typeof events],
  counts: Readonly<Record<string, number>>,
): Promise<void> {
  // The facts belong to the event, which TypeScript cannot express for a union.
  return audit(db, ctx, { event, organizationId, facts: { job, operation, domain, ...counts } } as unknown as Audited)
}

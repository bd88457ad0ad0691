import type { ServiceContext } from '../../engine/context/service-context.ts'
import { holdBulkJob } from './statements.ts'
import type { BulkJobRow } from '../administrators/scope-statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'

/** A process that was not heard of for so long no longer works on its job, seconds. */
export const leaseLength = 30

export interface HeldJob {
  readonly job: BulkJobRow
  /** The process that works on it. */
  readonly holder: string
}

/** Goes on with a job. @returns false if it has ended, or another process has it. */
export function hold(db: Queryable, { clock }: ServiceContext, { job, holder }: HeldJob): Promise<boolean> {
  const now = clock.now()
  return holdBulkJob(db, job.id, { holder, now, until: now + leaseLength })
}

/** The context in which events about the job itself are recorded. */
export const ofJob = (ctx: ServiceContext, { requestedBy, because }: BulkJobRow): ServiceContext => ({
  ...ctx,
  actor: { kind: 'administrator', id: requestedBy },
  because,
})

import type { ServiceContext } from '../../context/service-context.ts'
import { inSteps } from '../../ground/in-steps.ts'
import { newId } from '../../rules/random.ts'
import { holdBulkJob, leaveBulkJob, settleBulkItem, takeBulkJob, waitingBulkItems } from '../../store/bulk-jobs.ts'
import type { BulkJobRow } from '../../store/bulk-jobs.ts'
import type { Queryable } from '../../store/schema.ts'
import { StoreUnavailableError } from '../../store/store.ts'
import { bulkActions } from './actions.ts'
import type { AfterCommit } from './actions.ts'
import { endJob } from './end.ts'
import { mayRun, presentAdministrator, refusals } from './rules.ts'

/** Works on jobs in the background, one after the other. */
export interface BulkJobs {
  /** Starts what waits, unless this process works on a job already. */
  wake(): void
  /** Stops after the current person. Another process, or the next start, goes on. */
  close(): Promise<void>
}

/** A process that was not heard of for so long no longer works on its job, seconds. */
export const leaseLength = 30

/** How many people are changed between two pauses. */
const step = 20

export function createBulkJobs(ctx: ServiceContext): BulkJobs {
  const holder = newId(ctx.random)
  const ending = new AbortController()
  let running: Promise<void> | undefined
  let requested = false

  async function runAll(): Promise<void> {
    while (requested && !ending.signal.aborted) {
      requested = false
      const now = ctx.clock.now()
      const job = await takeBulkJob(ctx.store.db, { holder, now, until: now + leaseLength })
      if (!job) continue
      await runJob(ctx, job, holder, ending.signal)
      requested = true
    }
  }

  const jobs: BulkJobs = {
    wake() {
      if (ending.signal.aborted) return
      requested = true
      running ??= runAll()
        .catch((error: unknown) => {
          if (!ctx.failures.covers(error)) ctx.logger.warn({ err: error }, 'a job on many people was interrupted')
        })
        .finally(() => {
          running = undefined
        })
    },
    async close() {
      ending.abort()
      await running
    },
  }
  return jobs
}

/** Ends when the job does, when another process has it, or when this one closes. */
async function runJob(ctx: ServiceContext, job: BulkJobRow, holder: string, signal: AbortSignal): Promise<void> {
  const stop = new AbortController()
  await inSteps({ size: step, signal: AbortSignal.any([signal, stop.signal]) }, async () => {
    const userIds = await waitingBulkItems(ctx.store.db, job.id, step)
    for (const userId of userIds) {
      if (signal.aborted) break
      if (!(await changePerson(ctx, job, holder, userId))) {
        stop.abort()
        break
      }
    }
    return userIds.length
  })
  if (stop.signal.aborted) return
  if (signal.aborted) return leaveBulkJob(ctx.store.db, job.id, holder)
  await ctx.store.db.transaction().execute(async (db) => {
    if (await hold(db, ctx, job.id, holder)) await endJob(db, actingFor(ctx, job), job, 'done')
  })
}

/** @returns false once the job has ended, or another process works on it. */
async function changePerson(ctx: ServiceContext, job: BulkJobRow, holder: string, userId: string): Promise<boolean> {
  try {
    const after = await ctx.store.db
      .transaction()
      .execute((db) => changeInTransaction(db, ctx, { job, holder, userId }))
    after?.()
    return after !== undefined
  } catch (error) {
    // It is tried again by whichever process comes next.
    if (error instanceof StoreUnavailableError) throw error
    ctx.logger.warn({ err: error, job: job.id, user: userId }, 'a job could not change a user')
    return settleBulkItem(ctx.store.db, { jobId: job.id, userId, state: 'failed', reason: 'failed' })
  }
}

interface Change {
  readonly job: BulkJobRow
  readonly holder: string
  readonly userId: string
}

/**
 * Checks everything again, and changes the person and its place in the job together: a process that crashes has done both or
 * neither.
 */
async function changeInTransaction(
  db: Queryable,
  ctx: ServiceContext,
  { job, holder, userId }: Change,
): Promise<AfterCommit | undefined> {
  if (!(await hold(db, ctx, job.id, holder))) return undefined
  const administrator = await presentAdministrator(db, job.requestedBy)
  if (!administrator || !mayRun(administrator, job)) {
    await endJob(db, actingFor(ctx, job), job, 'stopped')
    return undefined
  }
  const asked = { administrator, job, now: ctx.clock.now() }
  const reason = (await refusals(db, asked, [userId])).get(userId) ?? null
  const state = reason === null ? 'done' : 'skipped'
  if (!(await settleBulkItem(db, { jobId: job.id, userId, state, reason }))) return () => {}
  return reason === null ? bulkActions[job.action](db, actingFor(ctx, job), { job, userId }) : () => {}
}

function hold(db: Queryable, { clock }: ServiceContext, id: string, holder: string): Promise<boolean> {
  const now = clock.now()
  return holdBulkJob(db, id, { holder, now, until: now + leaseLength })
}

/** The actor is the administrator, and each entry of the trail names the job and its reason. */
const actingFor = (ctx: ServiceContext, { id, requestedBy, because, organizationId }: BulkJobRow) => ({
  ...ctx,
  organizationId,
  actor: { kind: 'administrator', id: requestedBy } as const,
  because,
  job: id,
})

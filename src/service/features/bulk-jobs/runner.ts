import type { ServiceContext } from '../../engine/context/service-context.ts'
import { inSteps } from '../../engine/base/in-steps.ts'
import { newId } from '../../engine/base/random.ts'
import { leaveBulkJob, takeBulkJob, waitingBulkItems } from './statements.ts'
import { endJob } from './end.ts'
import { hold, leaseLength, ofJob } from './held-job.ts'
import type { HeldJob } from './held-job.ts'
import { withoutCaller } from '../../engine/base/waiting-caller.ts'

/** Works on jobs in the background, one after the other. */
export interface BulkJobs {
  /** Starts what waits, unless this process works on a job already. */
  wake(): void
  /** Stops after the current person. Another process, or the next start, goes on. */
  close(): Promise<void>
}

/** How many people are changed between two pauses. */
const step = 20

export function createBulkJobs(ctx: ServiceContext): BulkJobs {
  const holder = newId(ctx.random)
  // A command beside the service knows of no mail server, so it leaves mails to the service.
  const mails = ctx.senders.email && ctx.authenticatorUrl !== undefined ? 1 : 0
  const ending = new AbortController()
  let running: Promise<void> | undefined
  let requested = false

  async function runAll(): Promise<void> {
    while (requested && !ending.signal.aborted) {
      requested = false
      const now = ctx.clock.now()
      const job = await takeBulkJob(ctx.store.db, { holder, now, until: now + leaseLength, mails })
      if (!job) continue
      await runJob(ctx, { job, holder }, ending.signal)
      requested = true
    }
  }

  const jobs: BulkJobs = {
    wake() {
      if (ending.signal.aborted) return
      requested = true
      running ??= withoutCaller(runAll)
        .catch((error: unknown) => {
          if (!ctx.failures.covers(error)) ctx.logger.warn({ err: error }, 'a job on many people was interrupted')
        })
        .finally(() => {
          running = undefined
          if (requested) jobs.wake()
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
async function runJob(ctx: ServiceContext, jobClaim: HeldJob, signal: AbortSignal): Promise<void> {
  const { db } = ctx.store
  const { job, holder } = jobClaim
  // Loaded for the first job, with all that the console does to people.
  const { changePerson } = await import('./change-person.ts')
  const stop = new AbortController()
  await inSteps({ size: step, signal: AbortSignal.any([signal, stop.signal]) }, async () => {
    const userIds = await waitingBulkItems(db, job.id, step)
    for (const userId of userIds) {
      if (signal.aborted) break
      if (!(await changePerson(ctx, jobClaim, userId))) {
        stop.abort()
        break
      }
    }
    return userIds.length
  })
  if (stop.signal.aborted) return
  if (signal.aborted) return leaveBulkJob(db, job.id, holder)
  await db.transaction().execute(async (tx) => {
    if (await hold(tx, ctx, jobClaim)) await endJob(tx, ofJob(ctx, job), job, 'done')
  })
}

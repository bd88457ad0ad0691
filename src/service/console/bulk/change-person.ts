import type { ServiceContext } from '../../context/service-context.ts'
import type { Call } from '../../http/route.ts'
import { settleBulkItem } from '../../store/bulk-jobs.ts'
import type { BulkJobRow } from '../../store/bulk-jobs.ts'
import type { Queryable } from '../../store/schema.ts'
import { StoreUnavailableError } from '../../store/store.ts'
import { callAs } from './acting.ts'
import { bulkActions } from './actions.ts'
import type { AfterCommit } from './actions.ts'
import { presentAdministrator } from '../../admin/present-administrator.ts'
import { mayRun } from './may-run.ts'
import { endJob } from './end.ts'
import { hold, ofJob } from './held-job.ts'
import type { HeldJob } from './held-job.ts'
import { sendMail } from './mails.ts'
import { refusals } from './rules.ts'

/** @returns false once the job has ended, or another process works on it. */
export async function changePerson(ctx: ServiceContext, held: HeldJob, userId: string): Promise<boolean> {
  const { job } = held
  try {
    const next = await ctx.store.db.transaction().execute((db) => changeInTransaction(db, ctx, held, userId))
    if (!next) return false
    if ('mail' in next) await mailAndSettle(next.mail, job, userId)
    else next.after()
    return true
  } catch (error) {
    // It is tried again by whichever process comes next.
    if (error instanceof StoreUnavailableError) throw error
    ctx.logger.warn({ err: error, job: job.id, user: userId }, 'a job could not change a user')
    return settleBulkItem(ctx.store.db, { jobId: job.id, userId, state: 'failed', reason: 'failed' })
  }
}

type Next = { readonly after: AfterCommit } | { readonly mail: Call } | undefined

/**
 * Checks everything again, and changes the person and its place in the job together: a process that crashes has done both or
 * neither.
 */
async function changeInTransaction(
  db: Queryable,
  ctx: ServiceContext,
  { job, holder }: HeldJob,
  userId: string,
): Promise<Next> {
  if (!(await hold(db, ctx, { job, holder }))) return undefined
  const administrator = await presentAdministrator(db, job.requestedBy)
  if (!administrator || !mayRun(administrator, job)) {
    await endJob(db, ofJob(ctx, job), job, 'stopped')
    return undefined
  }
  const call = callAs(ctx, administrator, job)
  const reason = (await refusals(db, call, job, [userId])).get(userId) ?? null
  if (reason === null && job.action === 'enrollment_mail') return { mail: call }
  const state = reason === null ? 'done' : 'skipped'
  const isOwnTurn = await settleBulkItem(db, { jobId: job.id, userId, state, reason })
  if (!isOwnTurn || reason !== null || job.action === 'enrollment_mail') return { after: () => {} }
  return { after: await bulkActions[job.action](db, call, { domainId: job.domainId ?? '', userId }) }
}

/** A process that crashes in between sends the mail a second time, and the link in the first one ends. */
async function mailAndSettle(call: Call, { id: jobId, domainId }: BulkJobRow, userId: string): Promise<void> {
  const reason = (await sendMail(call, { userId, domainId: domainId ?? '' })) ?? null
  const state = reason === null ? 'done' : reason === 'failed' ? 'failed' : 'skipped'
  await settleBulkItem(call.store.db, { jobId, userId, state, reason })
}

import type { BulkReason } from '../../../admin-contract/bulk-jobs.ts'
import { presentAdministrator } from '../administrators/present-administrator.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import { within } from '../../engine/context/within.ts'
import type { Transact } from '../../engine/context/within.ts'
import type { Call } from '../../engine/http/route.ts'
import { settleBulkItem } from './statements.ts'
import { StoreUnavailableError } from '../../engine/base/store-errors.ts'
import { readCommitted } from '../../engine/database/transaction-ends.ts'
import { lockRows } from '../administrators/lock-rows.ts'
import { callAs } from './acting.ts'
import { bulkActions } from './actions.ts'
import { endJob } from './end.ts'
import { hold, ofJob } from './held-job.ts'
import type { HeldJob } from './held-job.ts'
import { sendMail } from './mails.ts'
import { mayRun } from './may-run.ts'
import { personRefusals, refusals } from './refusals.ts'

/** @returns false once the job has ended, or another process works on it. */
export async function changePerson(ctx: ServiceContext, jobClaim: HeldJob, userId: string): Promise<boolean> {
  const { id: jobId } = jobClaim.job
  try {
    const next = await readCommitted(ctx.store.db).execute((db) =>
      changeInTransaction(within(ctx, db), jobClaim, userId),
    )
    if (next === 'mail') await mailAndSettle(ctx, jobClaim, userId)
    return next !== 'stopped'
  } catch (error) {
    // It is tried again by whichever process comes next.
    if (error instanceof StoreUnavailableError) throw error
    ctx.logger.warn({ err: error, job: jobId, user: userId }, 'a job could not change a user')
    return settleBulkItem(ctx.store.db, { jobId, userId, state: 'failed', reason: 'failed' })
  }
}

type Next = 'settled' | 'mail' | 'stopped'

/**
 * Decides again, and changes the person and its place in the job together: a process that crashes has done both or neither.
 */
async function changeInTransaction(ctx: ServiceContext, jobClaim: HeldJob, userId: string): Promise<Next> {
  const { db } = ctx.store
  const { job } = jobClaim
  await lockPerson(ctx, jobClaim, userId)
  if (!(await hold(db, ctx, jobClaim))) return 'stopped'
  const call = await presentCall(ctx, jobClaim)
  if (!call) {
    await endJob(db, ofJob(ctx, job), job, 'stopped')
    return 'stopped'
  }
  const reason = (await refusals(db, call, job, [userId])).get(userId) ?? null
  if (reason === null && job.action === 'enrollment_mail') return 'mail'
  const state = reason === null ? 'done' : 'skipped'
  const isOwnTurn = await settleBulkItem(db, { jobId: job.id, userId, state, reason })
  if (isOwnTurn && reason === null && job.action !== 'enrollment_mail')
    await bulkActions[job.action](db, call, { domainId: job.domainId ?? '', userId })
  return 'settled'
}

/** As for one change, so that an answer of No waits for the change of this person, or the change for the answer. */
const lockPerson = ({ store }: ServiceContext, { job }: HeldJob, userId: string): Promise<void> =>
  lockRows(store.db, { organizationId: job.organizationId, userId, administratorIds: [job.requestedBy] })

/** The call with the rights that the administrator of the job has now; undefined if these no longer suffice. */
async function presentCall(ctx: ServiceContext, { job }: HeldJob): Promise<Call | undefined> {
  const administrator = await presentAdministrator(ctx.store.db, job.requestedBy)
  return administrator && mayRun(administrator, job) ? callAs(ctx, administrator, job) : undefined
}

/** A person whom a mail must not reach anymore. */
class LeftAlone extends Error {
  readonly reason: BulkReason

  constructor(reason: BulkReason) {
    super(`A job leaves a person alone: ${reason}.`)
    this.reason = reason
  }
}

/** A process that crashes in between sends the mail a second time, and the link in the first one ends. */
async function mailAndSettle(ctx: ServiceContext, jobClaim: HeldJob, userId: string): Promise<void> {
  const { id: jobId, domainId } = jobClaim.job
  const change: Transact<Call> = (run) =>
    readCommitted(ctx.store.db).execute(async (db) => run(await decidedCall(within(ctx, db), jobClaim, userId)))
  const call = await presentCall(ctx, jobClaim)
  const reason = call ? await mailedOr(sendMail(call, { userId, domainId: domainId ?? '' }, change)) : 'failed'
  const state = reason === undefined ? 'done' : reason === 'failed' ? 'failed' : 'skipped'
  await settleBulkItem(ctx.store.db, { jobId, userId, state, reason: reason ?? null })
}

/** Decides in each transaction of a mail. The mail checks its own rules. @throws {LeftAlone} */
async function decidedCall(ctx: ServiceContext, jobClaim: HeldJob, userId: string): Promise<Call> {
  await lockPerson(ctx, jobClaim, userId)
  const call = await presentCall(ctx, jobClaim)
  if (!call) throw new LeftAlone('failed')
  const reason = (await personRefusals(ctx.store.db, call, jobClaim.job, [userId])).get(userId)
  if (reason !== undefined) throw new LeftAlone(reason)
  return call
}

async function mailedOr(sending: Promise<BulkReason | undefined>): Promise<BulkReason | undefined> {
  try {
    return await sending
  } catch (error) {
    if (error instanceof LeftAlone) return error.reason
    throw error
  }
}

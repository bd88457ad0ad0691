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
import { takeReached } from '../administrators/people-budget.ts'
import { bulkJobById } from '../administrators/scope-statements.ts'
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
    return next === 'mail' ? await mailAndSettle(ctx, jobClaim, userId) : next !== 'stopped'
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

/** The job has ended, or another process works on it. */
class JobLeft extends Error {}

/**
 * A process that crashes in between sends the mail a second time, and the link in the first one ends.
 *
 * @returns false without a mail if the job has ended since the person was chosen, or another process works on it.
 */
async function mailAndSettle(ctx: ServiceContext, jobClaim: HeldJob, userId: string): Promise<boolean> {
  const { id: jobId, domainId } = jobClaim.job
  const inTransaction =
    (decide: typeof decidedCall): Transact<Call> =>
    (run) =>
      readCommitted(ctx.store.db).execute(async (db) => run(await decide(within(ctx, db), jobClaim, userId)))
  // The link of a mail that was sent has to work, also if the job was ended meanwhile.
  const deciding = { prepare: inTransaction(decidedWhileHeld), change: inTransaction(decidedCall) }
  const call = await presentCall(ctx, jobClaim)
  try {
    const reason = call ? await mailedOr(sendMail(call, { userId, domainId: domainId ?? '' }, deciding)) : 'failed'
    const state = reason === undefined ? 'done' : reason === 'failed' ? 'failed' : 'skipped'
    await settleMail(ctx, jobClaim, { jobId, userId, state, reason: reason ?? null })
    return true
  } catch (error) {
    if (error instanceof JobLeft) return false
    throw error
  }
}

/**
 * Notes what became of a mail. A job that was ended while the mail was on its way has given the person back as one whom it did not
 * reach: an agent of the help desk could otherwise cancel each job during its mail, and mail any number of people.
 */
async function settleMail(
  ctx: ServiceContext,
  jobClaim: HeldJob,
  item: Parameters<typeof settleBulkItem>[1],
): Promise<void> {
  await ctx.store.db.transaction().execute(async (db) => {
    // First, because it waits for an end that is just being stored, and a later end waits for this transaction.
    const isHeld = await hold(db, ctx, jobClaim)
    if (!(await settleBulkItem(db, item)) || isHeld || item.state === 'skipped') return
    const job = await bulkJobById(db, item.jobId)
    if (job && job.state !== 'running') await takeReached(db, job)
  })
}

/** The same before the mail is sent, as long as the job goes on. @throws {JobLeft | LeftAlone} */
async function decidedWhileHeld(ctx: ServiceContext, jobClaim: HeldJob, userId: string): Promise<Call> {
  const call = await decidedCall(ctx, jobClaim, userId)
  if (!(await hold(ctx.store.db, ctx, jobClaim)))
    throw new JobLeft('The job has ended, or another process works on it.')
  return call
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

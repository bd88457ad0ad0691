import { maxPeopleADay, peopleAlert } from '../../../admin-contract/bulk-jobs.ts'
import { tooManyRequests } from '../../engine/base/problem.ts'
import type { Call } from '../../engine/http/route.ts'
import { mailOwnersOfChanges } from '../../engine/mail/mail-owners.ts'
import { takeAttempt } from '../../engine/limits/attempts.ts'
import type { BulkJobRow } from './scope-statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { counted, release, reserve } from '../../engine/limits/tallies.ts'
import type { TallyLimit } from '../../engine/limits/tallies.ts'
import { signedIn } from './call.ts'

/** Seconds. */
const day = 24 * 60 * 60

/**
 * The people on whom one administrator acts in any 24 hours. Jobs are not counted alone: otherwise ten jobs of 100 people would be
 * an action on 1,000 people that no one is told about.
 */
const peopleOf = (administratorId: string, limit: number): TallyLimit => ({
  scope: `people ${administratorId}`,
  limit,
  window: day,
  slot: 1,
})

/** @returns how many more people the jobs of an administrator may change now. */
export async function peopleLeft(db: Queryable, call: Call): Promise<number> {
  const { id, role } = signedIn(call)
  const max = maxPeopleADay[role]
  const { count } = await counted(db, peopleOf(id, max), call.clock.now())
  return Math.max(0, max - count)
}

/**
 * Counts the people of a job, in the transaction of its start: of jobs that are started at once, each counts the others.
 *
 * @param people At most as many as a job may have.
 * @returns how many there are in 24 hours now, and whether owners have to be told of it.
 * @throws {ApiProblem} `api.error.toomanyrequests`
 */
export async function takePeople(
  db: Queryable,
  call: Call,
  people: number,
): Promise<{ readonly total: number; readonly alerts: boolean }> {
  const { id, role } = signedIn(call)
  const max = maxPeopleADay[role]
  const now = call.clock.now()
  const reservation = await reserve(db, [peopleOf(id, max)], now, people)
  if ('wait' in reservation)
    throw tooManyRequests({
      limit: `at most ${max} people in 24 hours for the role ${role}`,
      wait: reservation.wait,
      now,
    })
  const { count: singles } = await counted(db, singlesOf(id), now)
  const total = singles + (reservation.counts[0] ?? people)
  return { total, alerts: alertsUpTo(total) > alertsUpTo(total - people) }
}

/** The people on whom an administrator has acted one by one. They use up no place of jobs, and count for the alert. */
const singlesOf = (administratorId: string): TallyLimit => ({
  ...peopleOf(administratorId, Infinity),
  scope: `changed ${administratorId}`,
})

/**
 * Counts a person on whom an administrator acts alone, once in 24 hours, and tells the owners once there are many. In the transaction
 * of the action, which has locked the administrator.
 */
export async function countPerson(call: Call, userId: string): Promise<void> {
  const { id, organizationId } = signedIn(call)
  const { db } = call.store
  const now = call.clock.now()
  if ((await takeAttempt(db, [{ scope: `changed ${id} ${userId}`, limit: 1, window: day }], now)) > 0) return
  const reservation = await reserve(db, [singlesOf(id)], now)
  const { count: ofJobs } = await counted(db, peopleOf(id, Infinity), now)
  const total = ofJobs + ('counts' in reservation ? (reservation.counts[0] ?? 0) : 0)
  if (alertsUpTo(total) > alertsUpTo(total - 1)) {
    await mailOwnersOfChanges(db, call, { organizationId, administratorId: id, total })
  }
}

/** How many alerts so many people cause: one for each further `peopleAlert`, so that no flood of mails hides one. */
const alertsUpTo = (people: number): number => Math.max(0, Math.ceil(people / peopleAlert) - 1)

/** Counts those no more whom an ended job has not reached. In the transaction of its end. */
export async function releasePeople(
  db: Queryable,
  { requestedBy, startedAt }: Pick<BulkJobRow, 'requestedBy' | 'startedAt'>,
  amount: number,
): Promise<void> {
  if (startedAt === null || amount === 0) return
  await release(db, { limits: [peopleOf(requestedBy, Infinity)], at: startedAt, amount })
}

/** Counts a person again whom a job has reached after its end. In a transaction. */
export async function takeReached(
  db: Queryable,
  { requestedBy, startedAt }: Pick<BulkJobRow, 'requestedBy' | 'startedAt'>,
): Promise<void> {
  if (startedAt !== null) await reserve(db, [peopleOf(requestedBy, Infinity)], startedAt)
}

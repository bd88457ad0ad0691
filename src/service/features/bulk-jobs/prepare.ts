import { bulkJobLifetime, maxBulkPeople, maxPeopleADay } from '../../../admin-contract/bulk-jobs.ts'
import type * as contract from '../../../admin-contract/bulk-jobs.ts'
import type { BulkReason } from '../../../admin-contract/bulk-jobs.ts'
import type { AdminRole } from '../../../contract/roles.ts'
import { auditCall } from '../../engine/audit/audit.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import { nextTurn } from '../../engine/base/next-turn.ts'
import type { Call, Input } from '../../engine/http/route.ts'
import { newId } from '../../engine/base/random.ts'
import { insertBulkItem, insertBulkJob, removePreparedJob, removePreparedJobs, setBulkPeople } from './statements.ts'
import type { BulkJobRow } from '../administrators/scope-statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { signedIn } from '../administrators/call.ts'
import type { ChangeHandler } from '../administrators/change.ts'
import { allPeople } from '../people/pages.ts'
import { domainsFor } from '../administrators/scope.ts'
import { factsOf } from './end.ts'
import { mayRun } from './may-run.ts'
import { peopleLeft } from '../administrators/people-budget.ts'
import { refusals } from './refusals.ts'
import { viewOf } from './view.ts'

/** How many people are looked at, and stored, at once. */
const step = 250

/** How many people are looked at, whether they are changed or left out. */
const maxSeen = 20_000

/** How long jobs and their reports are kept, seconds. */
const preparedLifetime = 30 * 24 * 60 * 60

type JobInput = Input<typeof contract.prepareBulkJob>

/** Stores whom the job is to change, so that exactly those are changed who were counted in the preview. */
export const prepare: ChangeHandler<typeof contract.prepareBulkJob> = async (input, call, change) => {
  const job = await change((inside) => insertJob(input, inside))
  // The people are stored in steps, because other writers would wait. The job decides again for each person.
  try {
    const { people, candidates } = await storePeople(input, call, job)
    return await change(async (inside) => {
      const { db } = inside.store
      await keepPrepared(db, job, people)
      const acting = { ...inside, because: input.because }
      await auditCall(db, acting, 'bulk.previewed', { ...factsOf(job), count: candidates })
      return viewOf(inside, job.id)
    })
  } catch (error) {
    await call.store.db.transaction().execute((tx) => removePreparedJob(tx, job.id))
    throw error
  }
}

/** Inserts a job without people, which cannot be started, in a transaction. The next preview removes it. */
async function insertJob(input: JobInput, call: Call): Promise<NewJob> {
  const administrator = signedIn(call)
  const { id: requestedBy, organizationId } = administrator
  const { action, because } = input
  const domainId = await domainOf(input, call)
  if (!mayRun(administrator, { action, domainId, people: 0 })) throw new ApiProblem('api.error.forbidden')
  const createdAt = call.clock.now()
  const job = { id: newId(call.random), action, domainId, expiresAt: createdAt + preparedLifetime }
  const { db } = call.store
  await removePreparedJobs(db, requestedBy)
  await insertBulkJob(db, { ...job, organizationId, requestedBy, because, state: 'prepared', people: 0, createdAt })
  return job
}

type NewJob = Pick<BulkJobRow, 'id' | 'action' | 'domainId' | 'expiresAt'>

/** @returns how many people the job is to change, of all who were looked at. */
async function storePeople(input: JobInput, call: Call, job: NewJob): Promise<{ people: number; candidates: number }> {
  const { role } = signedIn(call)
  const max = Math.min(maxBulkPeople(role, job.action), await peopleLeft(call.store.db, call))
  let [people, candidates] = [0, 0]
  for await (const userIds of selected(input, call)) {
    const refused = await refusals(call.store.db, call, job, userIds)
    people += userIds.length - refused.size
    candidates += userIds.length
    if (people > max || candidates > maxSeen) throw tooMany(role, max)
    await call.store.db.transaction().execute(async (tx) => {
      await keepPrepared(tx, job, 0)
      await insertItems(tx, job, userIds, refused)
    })
  }
  return { people, candidates }
}

/** An administrator has one preview: the newest, which removes the others. */
async function keepPrepared(db: Queryable, { id }: NewJob, people: number): Promise<void> {
  if (await setBulkPeople(db, id, people)) return
  throw new ApiProblem('api.error.conflict.state', 'A newer preview has taken the place of this one.')
}

async function insertItems(
  db: Queryable,
  { id: jobId, expiresAt }: NewJob,
  userIds: readonly string[],
  refused: ReadonlyMap<string, BulkReason>,
): Promise<void> {
  const rows = userIds.map((userId) => {
    const reason = refused.get(userId) ?? null
    return { jobId, userId, state: reason === null ? 'waiting' : 'left_out', reason, expiresAt } as const
  })
  await Promise.all(rows.map((row) => insertBulkItem(db, row)))
}

/** Whether a job can still be started. */
export const startableSince = (now: number): number => now - bulkJobLifetime

async function domainOf({ action, domain }: JobInput, call: Call): Promise<string | null> {
  if (action === 'unlock') return null
  if (domain === undefined) throw new ApiProblem('api.error.malformed', `domain: needed for ${action}`)
  await domainsFor(call, domain)
  return domain
}

async function* selected({ people, search }: JobInput, call: Call): AsyncGenerator<readonly string[]> {
  if ((people === undefined) === (search === undefined))
    throw new ApiProblem('api.error.malformed', 'expected either people or search')
  if (search) {
    for await (const rows of allPeople(call, search, step)) yield rows.map(({ id }) => id)
    return
  }
  const ids = [...new Set(people)]
  for (let start = 0; start < ids.length; start += step) {
    yield ids.slice(start, start + step)
    await nextTurn()
  }
}

function tooMany(role: AdminRole, max: number): ApiProblem {
  const day = maxPeopleADay[role]
  const ofDay = day === Infinity ? '' : `, because ${day} in 24 hours are allowed to the role ${role}`
  return new ApiProblem('api.error.limit.people', `At most ${max} people at once${ofDay}. Narrow the selection.`)
}

import { bulkJobLifetime, maxBulkPeople } from '../../../contract/admin/bulk-jobs.ts'
import type * as contract from '../../../contract/admin/bulk-jobs.ts'
import { ApiProblem } from '../../ground/problem.ts'
import { nextTurn } from '../../ground/next-turn.ts'
import type { Call, Handler, Input } from '../../http/route.ts'
import { newId } from '../../rules/random.ts'
import { insertBulkItem, insertBulkJob, removePreparedJobs } from '../../store/bulk-jobs.ts'
import { signedIn } from '../call.ts'
import { allPeople } from '../people-pages.ts'
import { domainsFor } from '../scope.ts'
import { mayRun } from './administrator.ts'
import { refusals } from './rules.ts'
import { viewOf } from './view.ts'

/** How many people are looked at, and stored, at once. */
const step = 250

/** How many people are looked at, whether they are changed or left out. */
const maxSeen = 20_000

/** How long jobs and their reports are kept, seconds. */
const kept = 30 * 24 * 60 * 60

type Given = Input<typeof contract.prepareBulkJob>

/** Stores whom the job is to change, so that exactly those are changed who were counted in the preview. */
export const prepare: Handler<typeof contract.prepareBulkJob> = async (given, call) => {
  const administrator = signedIn(call)
  const { action, because } = given
  const domainId = await domainOf(given, call)
  const createdAt = call.clock.now()
  const [id, expiresAt] = [newId(call.random), createdAt + kept]
  const job = { action, domainId, people: 0 }
  if (!mayRun(administrator, job)) throw new ApiProblem('api.error.forbidden')
  const { db } = call.store
  await db.transaction().execute((tx) => removePreparedJobs(tx, administrator.id))
  const most = maxBulkPeople(administrator.role, action)
  let [people, seen] = [0, 0]
  for await (const userIds of selected(given, call)) {
    const refused = await refusals(db, call, job, userIds)
    people += userIds.length - refused.size
    seen += userIds.length
    if (people > most || seen > maxSeen) throw tooMany(most)
    await db.transaction().execute(async (tx) => {
      for (const userId of userIds) {
        const reason = refused.get(userId) ?? null
        const state = reason === null ? 'waiting' : 'left_out'
        await insertBulkItem(tx, { jobId: id, userId, state, reason, expiresAt })
      }
    })
  }
  const { organizationId, id: requestedBy } = administrator
  const row = { id, organizationId, requestedBy, action, domainId, because, state: 'prepared', people } as const
  await db.transaction().execute((tx) => insertBulkJob(tx, { ...row, createdAt, expiresAt }))
  return viewOf(call, id)
}

/** Whether a job can still be started. */
export const startableSince = (now: number): number => now - bulkJobLifetime

async function domainOf({ action, domain }: Given, call: Call): Promise<string | null> {
  if (action === 'unlock') return null
  if (domain === undefined) throw new ApiProblem('api.error.malformed', `domain: needed for ${action}`)
  await domainsFor(call, domain)
  return domain
}

async function* selected({ people, search }: Given, call: Call): AsyncGenerator<readonly string[]> {
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

const tooMany = (most: number) =>
  new ApiProblem('api.error.limit.people', `At most ${most} people at once. Narrow the selection.`)

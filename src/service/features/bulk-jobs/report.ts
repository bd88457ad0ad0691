import type * as contract from '../../../admin-contract/bulk-jobs.ts'
import { auditCall } from '../../engine/audit/audit.ts'
import { nextTurn } from '../../engine/base/next-turn.ts'
import type { Call, Handler } from '../../engine/http/route.ts'
import { csvHead, csvRecord } from '../../engine/base/csv.ts'
import { userNames } from '../../engine/audit/page-statements.ts'
import { bulkCounts, bulkItemsOf } from './statements.ts'
import { exportName } from '../administrators/export-file.ts'
import { namesIn } from '../administrators/names.ts'
import { whileAllowed } from '../administrators/same-rights.ts'
import { factsOf } from './end.ts'
import { loadJob } from './view.ts'

/** How many people are read at once. */
const step = 500

/**
 * The trail records who took the report away before the first of it is sent: the report of a preview contains everyone whom a
 * search found, as an export of people does.
 */
export const report: Handler<typeof contract.exportBulkReport> = async ({ bulkJobId }, call) => {
  const { db } = call.store
  const job = await loadJob(call, bulkJobId)
  const count = (await bulkCounts(db, bulkJobId)).reduce((all, { people }) => all + Number(people), 0)
  await db.transaction().execute((tx) => auditCall(tx, call, 'bulk.report_exported', { ...factsOf(job), count }))
  const content = whileAllowed(call, write(call, bulkJobId))
  return { name: exportName('report', 'csv', call.clock.now()), content }
}

/** The outcome for each person. People who are gone or out of sight since have no name. */
async function* write(call: Call, jobId: string): AsyncGenerator<string> {
  yield csvHead(['id', 'username', 'name', 'outcome', 'reason'])
  let after = ''
  for (;;) {
    const items = await bulkItemsOf(call.store.db, jobId, after, step)
    const ids = items.map(({ userId }) => userId)
    const visible = await namesIn(call, ids)
    const usernames = new Map((await userNames(call.store.db, ids)).map(({ id, username }) => [id, username]))
    yield items
      .map(({ userId, state, reason }) => {
        const name = visible[userId]
        return csvRecord([userId, name === undefined ? '' : usernames.get(userId), name, state, reason])
      })
      .join('')
    if (items.length < step) return
    after = ids.at(-1) ?? after
    await nextTurn()
  }
}

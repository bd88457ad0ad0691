import type * as contract from '../../../contract/admin/bulk-jobs.ts'
import { nextTurn } from '../../ground/next-turn.ts'
import type { Call, Handler } from '../../http/route.ts'
import { csvRecord } from '../../rules/csv.ts'
import { userNames } from '../../store/audit-pages.ts'
import { bulkItemsOf } from '../../store/bulk-jobs.ts'
import { exportName } from '../export-file.ts'
import { namesIn } from '../names.ts'

/** How many people are read at once. */
const step = 500

export const report: Handler<typeof contract.exportBulkReport> = ({ bulkJobId }, call) =>
  Promise.resolve({ name: exportName('report', 'csv', call.clock.now()), content: write(call, bulkJobId) })

/** What became of each person. People who are gone or out of sight since have no name. */
async function* write(call: Call, jobId: string): AsyncGenerator<string> {
  yield csvRecord(['id', 'username', 'name', 'outcome', 'reason'])
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

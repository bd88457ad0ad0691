import type { Insertable } from 'kysely'

import type { Database, Queryable } from '../../engine/database/schema/schema.ts'
import { allRows, change, firstRow, pick, withDefaults } from '../../engine/database/statement.ts'
import type { SessionRow } from '../sessions/statements.ts'
import type { List, RowOf, Slot, Slots } from '../../engine/database/statement.ts'

/** An answer with the words a person knows it by. */
export type HistoryRow = RowOf<typeof newestHistory>

type NewHistory = Omit<Insertable<Database['deviceHistory']>, 'sequence'>

/** Shows a settled request in the history of its device. */
export async function noteInHistory(db: Queryable, session: SessionRow): Promise<void> {
  const { id: sessionId, deviceId, state, settledAt } = session
  if (deviceId === null || settledAt === null || (state !== 'approved' && state !== 'denied')) return
  const row = pick(session, ['domainId', 'userId', 'attributes', 'ipAddress', 'purpose', 'reason', 'createdAt'])
  await insertHistory(db, { ...row, sessionId, deviceId, state, settledAt })
}

const insertHistory = change('insertHistory', (db, row: Slots<NewHistory>) =>
  db.insertInto('deviceHistory').values({
    ...pick(row, ['sessionId', 'deviceId', 'domainId', 'userId', 'attributes', 'ipAddress', 'state', 'reason']),
    ...pick(row, ['createdAt', 'settledAt']),
    ...withDefaults(row, { purpose: 'sign_in' }),
  }),
)

type Page = Pick<NewHistory, 'deviceId'> & { readonly settledAfter: number; readonly limit: number }

/** Newest first. @param page `before` is a session of the same device; of another one it finds nothing. */
export function historyOfDevice(
  db: Queryable,
  { before, ...page }: Page & { readonly before: string | undefined },
): Promise<HistoryRow[]> {
  return before === undefined ? newestHistory(db, page) : historyBefore(db, page, before)
}

const newestHistory = allRows('newestHistory', (db, page: Slots<Page>) => historyPage(db, page))

const historyBefore = allRows('historyBefore', (db, page: Slots<Page>, before: Slot<string>) => {
  const ownEntries = db.selectFrom('deviceHistory').select('sequence').where('deviceId', '=', page.deviceId)
  return historyPage(db, page).where('deviceHistory.sequence', '<', ownEntries.where('sessionId', '=', before))
})

const historyPage = (db: Queryable, { deviceId, settledAfter, limit }: Slots<Page>) =>
  db
    .selectFrom('deviceHistory')
    .innerJoin('domain', 'domain.id', 'deviceHistory.domainId')
    .innerJoin('user', 'user.id', 'deviceHistory.userId')
    .selectAll('deviceHistory')
    .select(['domain.name as domainName', 'user.username', 'user.name'])
    .where('deviceHistory.deviceId', '=', deviceId)
    .where('deviceHistory.settledAt', '>', settledAfter)
    .orderBy('deviceHistory.sequence', 'desc')
    .limit(limit)

/** The newest request that a device approved. */
export const lastApproval = firstRow('lastApproval', (db, deviceId: Slot<string>) =>
  db
    .selectFrom('deviceHistory')
    .select(['settledAt', 'attributes'])
    .where((is) => is.and({ deviceId, state: 'approved' as const }))
    .orderBy('sequence', 'desc')
    .limit(1),
)

/** The answers of a device are removed together with it. */
export const removeHistories = change('removeHistories', (db, deviceIds: List<string>) =>
  db.deleteFrom('deviceHistory').where('deviceId', 'in', deviceIds),
)

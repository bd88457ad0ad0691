import type { Insertable, Selectable } from 'kysely'

import { removedBy, someOf } from './due.ts'
import type { DeviceHistoryTable, Queryable } from './schema.ts'

/** An answer with the words a person knows it by. */
export interface HistoryRow extends Selectable<DeviceHistoryTable> {
  readonly domainName: string
  readonly username: string
}

export async function insertHistory(db: Queryable, row: Insertable<DeviceHistoryTable>): Promise<void> {
  await db.insertInto('deviceHistory').values(row).execute()
}

/** Newest first. @param of `before` is a session of the same device; of another one it finds nothing. */
export function historyOfDevice(
  db: Queryable,
  of: { deviceId: string; before: string | undefined; settledAfter: number; limit: number },
): Promise<HistoryRow[]> {
  const { before } = of
  return db
    .selectFrom('deviceHistory')
    .innerJoin('domain', 'domain.id', 'deviceHistory.domainId')
    .innerJoin('user', 'user.id', 'deviceHistory.userId')
    .selectAll('deviceHistory')
    .select(['domain.name as domainName', 'user.username'])
    .where('deviceHistory.deviceId', '=', of.deviceId)
    .where('deviceHistory.settledAt', '>', of.settledAfter)
    .$if(before !== undefined, (query) =>
      query.where('deviceHistory.sequence', '<', (eb) =>
        eb
          .selectFrom('deviceHistory as known')
          .select('known.sequence')
          .where('known.deviceId', '=', of.deviceId)
          .where('known.sessionId', '=', before ?? ''),
      ),
    )
    .orderBy('deviceHistory.sequence', 'desc')
    .limit(of.limit)
    .execute()
}

/** With the device goes what it answered. */
export async function removeHistories(db: Queryable, deviceIds: readonly string[]): Promise<void> {
  if (deviceIds.length > 0) await db.deleteFrom('deviceHistory').where('deviceId', 'in', deviceIds).execute()
}

export async function removeHistorySettledBefore(db: Queryable, time: number): Promise<number> {
  const due = db.selectFrom('deviceHistory').select('sequence').where('settledAt', '<=', time)
  return removedBy(await db.deleteFrom('deviceHistory').where('sequence', 'in', someOf(db, due)).executeTakeFirst())
}

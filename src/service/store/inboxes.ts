import { isPending } from './pending.ts'
import type { Queryable } from './schema.ts'
import { allRows } from './statement.ts'
import type { Slot } from './statement.ts'

/** What of a device's inbox changes whenever a request comes or goes. */
export interface InboxMark {
  readonly deviceId: string
  readonly pending: number
  readonly newest: number
}

/** Of all devices that are asked something. */
export async function inboxMarks(db: Queryable, now: number): Promise<InboxMark[]> {
  const rows = await pendingByDevice(db, now)
  return rows.map(({ deviceId, pending, newest }) => ({
    deviceId: deviceId ?? '',
    pending: Number(pending),
    newest: Number(newest),
  }))
}

const pendingByDevice = allRows('pendingByDevice', (db, now: Slot<number>) =>
  db
    .selectFrom('session')
    .select((eb) => [
      'deviceId',
      eb.fn.countAll<number | string>().as('pending'),
      eb.fn.max<number | string>('sequence').as('newest'),
    ])
    .where(isPending(now))
    .where('deviceId', 'is not', null)
    .groupBy('deviceId'),
)

export async function devicesRevokedSince(db: Queryable, time: number): Promise<string[]> {
  return (await revokedSince(db, time)).map(({ id }) => id)
}

const revokedSince = allRows('revokedSince', (db, time: Slot<number>) =>
  db.selectFrom('device').select('id').where('revokedAt', '>=', time),
)

import type { Insertable, Selectable } from 'kysely'

import { maxNotices } from '../../contract/device.ts'
import { prepare } from './prepared.ts'
import { removedBy, someOf } from './due.ts'
import type { DeviceNoticeTable, Queryable } from './schema.ts'

/** A notice with the words a person knows the change by. */
export interface NoticeRow extends Pick<Selectable<DeviceNoticeTable>, 'id' | 'domainId' | 'kind' | 'createdAt'> {
  readonly domainName: string
}

/** The devices that a user has, in every domain. */
export function activeDevicesOfUser(db: Queryable, userId: string): Promise<{ id: string; domainId: string }[]> {
  return db
    .selectFrom('device')
    .select(['id', 'domainId'])
    .where('userId', '=', userId)
    .where('revokedAt', 'is', null)
    .execute()
}

/** In a transaction. Where the device has too many, the oldest notice makes room. */
export async function insertNotice(db: Queryable, row: Insertable<DeviceNoticeTable>): Promise<void> {
  await db.insertInto('deviceNotice').values(row).execute()
  await db
    .deleteFrom('deviceNotice')
    .where('deviceId', '=', row.deviceId)
    .where('sequence', '<=', (eb) =>
      eb
        .selectFrom('deviceNotice as known')
        .select('known.sequence')
        .where('known.deviceId', '=', row.deviceId)
        .orderBy('known.sequence', 'desc')
        .limit(1)
        .offset(maxNotices),
    )
    .execute()
}

/** Newest first. */
export function noticesOfDevice(db: Queryable, deviceId: string, createdAfter: number): Promise<NoticeRow[]> {
  return ofDevice(db, { deviceId, createdAfter }).execute()
}

const ofDevice = prepare((db, { deviceId, createdAfter }: { deviceId: string; createdAfter: number }) =>
  db
    .selectFrom('deviceNotice')
    .innerJoin('domain', 'domain.id', 'deviceNotice.domainId')
    .select(['deviceNotice.id', 'deviceNotice.domainId', 'deviceNotice.kind', 'deviceNotice.createdAt'])
    .select('domain.name as domainName')
    .where('deviceNotice.deviceId', '=', deviceId)
    .where('deviceNotice.createdAt', '>', createdAfter)
    .orderBy('deviceNotice.sequence', 'desc'),
)

/** A device that acknowledges a notice twice, or a notice of another device, changes nothing. */
export async function removeNotice(db: Queryable, notice: { id: string; deviceId: string }): Promise<void> {
  await db.deleteFrom('deviceNotice').where('id', '=', notice.id).where('deviceId', '=', notice.deviceId).execute()
}

/** The notices of a device are removed together with it. */
export async function removeNotices(db: Queryable, deviceIds: readonly string[]): Promise<void> {
  if (deviceIds.length > 0) await db.deleteFrom('deviceNotice').where('deviceId', 'in', deviceIds).execute()
}

export async function removeNoticesCreatedBefore(db: Queryable, time: number): Promise<number> {
  const due = db.selectFrom('deviceNotice').select('sequence').where('createdAt', '<=', time)
  return removedBy(await db.deleteFrom('deviceNotice').where('sequence', 'in', someOf(db, due)).executeTakeFirst())
}

/** The number of the newest notice of the service; 0 where there is none. */
export async function newestNotice(db: Queryable): Promise<number> {
  const newest = await db
    .selectFrom('deviceNotice')
    .select('sequence')
    .orderBy('sequence', 'desc')
    .limit(1)
    .executeTakeFirst()
  return newest?.sequence ?? 0
}

/** The devices that got a notice after that one. */
export async function devicesNotifiedAfter(db: Queryable, sequence: number): Promise<string[]> {
  const rows = await db.selectFrom('deviceNotice').select('deviceId').where('sequence', '>', sequence).execute()
  return rows.map(({ deviceId }) => deviceId)
}

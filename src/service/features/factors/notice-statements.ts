import type { Insertable } from 'kysely'

import { maxNotices } from '../../../contract/device.ts'
import type { Database, Queryable } from '../../engine/database/schema/schema.ts'
import { allRows, change, pick } from '../../engine/database/statement.ts'
import type { List, RowOf, Slot, Slots } from '../../engine/database/statement.ts'

/** A notice with the words a person knows the change by. */
export type NoticeRow = RowOf<typeof noticesOfDevice>

/** The devices that a user has, in every domain. */
export const activeDevicesOfUser = allRows('activeDevicesOfUser', (db, userId: Slot<string>) =>
  db.selectFrom('device').select(['id', 'domainId']).where('userId', '=', userId).where('revokedAt', 'is', null),
)

type NewNotice = Omit<Insertable<Database['deviceNotice']>, 'sequence'>

/** Call it in a transaction. Where the device has too many, the oldest notice makes room. */
export async function insertNotice(db: Queryable, row: NewNotice): Promise<void> {
  await addNotice(db, row)
  await removeOldestNotice(db, row.deviceId)
}

const addNotice = change('addNotice', (db, row: Slots<NewNotice>) =>
  db.insertInto('deviceNotice').values(pick(row, ['id', 'deviceId', 'domainId', 'kind', 'createdAt'])),
)

const removeOldestNotice = change('removeOldestNotice', (db, deviceId: Slot<string>) => {
  const notices = db.selectFrom('deviceNotice').select('sequence').where('deviceId', '=', deviceId)
  const newestSurplus = notices.orderBy('sequence', 'desc').limit(1).offset(maxNotices)
  return db.deleteFrom('deviceNotice').where('deviceId', '=', deviceId).where('sequence', '<=', newestSurplus)
})

/** Newest first. */
export const noticesOfDevice = allRows('noticesOfDevice', (db, deviceId: Slot<string>, createdAfter: Slot<number>) =>
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
export const removeNotice = change('removeNotice', (db, { id, deviceId }: Slots<{ id: string; deviceId: string }>) =>
  db.deleteFrom('deviceNotice').where('id', '=', id).where('deviceId', '=', deviceId),
)

/** The notices of a device are removed together with it. */
export const removeNotices = change('removeNotices', (db, deviceIds: List<string>) =>
  db.deleteFrom('deviceNotice').where('deviceId', 'in', deviceIds),
)

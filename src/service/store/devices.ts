import type { Insertable, Selectable } from 'kysely'

import { removeCodeGenerators } from './code-generators.ts'
import { removeHistories } from './device-history.ts'
import { removeNotices } from './device-notices.ts'
import { endOtherSessions } from './epochs.ts'
import type { DeviceTable, Queryable } from './schema.ts'
import { change, changesRow, firstRow, pick, withDefaults } from './statement.ts'
import type { Slot, Slots } from './statement.ts'
import type { Ended } from './tokens.ts'

export type DeviceRow = Selectable<DeviceTable>

export const insertDevice = change('insertDevice', (db, row: Slots<Insertable<DeviceTable>>) =>
  db.insertInto('device').values({
    ...pick(row, ['id', 'tokenId', 'domainId', 'userId', 'name', 'keyX', 'keyY', 'createdAt']),
    ...withDefaults(row, { pin: null, push: null, revokedAt: null }),
  }),
)

/** Also a revoked one. */
export const deviceById = firstRow('deviceById', (db, id: Slot<string>) =>
  db.selectFrom('device').selectAll().where('id', '=', id),
)

/** The device that answers for a user in a domain. */
export const activeDevice = firstRow('activeDevice', (db, domainId: Slot<string>, userId: Slot<string>) =>
  db
    .selectFrom('token')
    .innerJoin('device', 'device.tokenId', 'token.id')
    .select('device.id')
    .where((is) =>
      is.and({ 'token.domainId': domainId, 'token.userId': userId, 'token.state': 'active', 'device.revokedAt': null }),
    ),
)

/** The device in use, as it is shown. */
export const deviceOfToken = firstRow('deviceOfToken', (db, tokenId: Slot<string>) =>
  db
    .selectFrom('device')
    .select(['id', 'name', 'createdAt'])
    .where((is) => is.and({ tokenId, revokedAt: null })),
)

/** @returns false where the device used the id before. */
export const rememberCall = changesRow(
  'rememberCall',
  (db, call: Slots<{ deviceId: string; jti: string; expiresAt: number }>) =>
    db
      .insertInto('deviceCall')
      .values(pick(call, ['deviceId', 'jti', 'expiresAt']))
      .onConflict((conflict) => conflict.doNothing()),
)

/** Ends what ends with devices: their codes, what only they could read, and other web sessions of their users. */
export async function endDevices(db: Queryable, devices: readonly Ended[], epoch: string | undefined): Promise<void> {
  const ids = devices.map(({ id }) => id)
  await endOtherSessions(db, [...new Set(devices.map(({ userId }) => userId))], epoch)
  await removeCodeGenerators(db, ids)
  await removeHistories(db, ids)
  await removeNotices(db, ids)
}

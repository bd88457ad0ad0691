import type { Insertable, Selectable } from 'kysely'

import type { DeviceTable } from './schema.ts'
import { change, changesRow, firstRow, pick, withDefaults } from './statement.ts'
import type { Slot, Slots } from './statement.ts'

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

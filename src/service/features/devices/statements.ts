import type { Insertable } from 'kysely'

import { removeCodeGenerators } from '../codes/statements.ts'
import { removeHistories } from './history-statements.ts'
import { removeNotices } from '../factors/notice-statements.ts'
import { endOtherSessions } from '../browsers/epochs.ts'
import type { Database, Queryable } from '../../engine/database/schema/schema.ts'
import { change, changesRow, firstRow, firstValue, pick, withDefaults } from '../../engine/database/statement.ts'
import type { Slot, Slots } from '../../engine/database/statement.ts'
import type { Ended } from '../../engine/base/revoked.ts'

export const insertDevice = change('insertDevice', (db, row: Slots<Insertable<Database['device']>>) =>
  db.insertInto('device').values({
    ...pick(row, ['id', 'tokenId', 'domainId', 'userId', 'name', 'keyX', 'keyY', 'createdAt']),
    ...withDefaults(row, { pin: null, push: null, revokedAt: null }),
  }),
)

/** Finds revoked devices as well. */
export const deviceById = firstRow('deviceById', (db, id: Slot<string>) =>
  db.selectFrom('device').selectAll().where('id', '=', id),
)

/** The device in use, as it is shown. */
export const deviceOfToken = firstRow('deviceOfToken', (db, tokenId: Slot<string>) =>
  db
    .selectFrom('device')
    .select(['id', 'name', 'createdAt'])
    .where((is) => is.and({ tokenId, revokedAt: null })),
)

export const renameDevice = change('renameDevice', (db, id: Slot<string>, name: Slot<string>) =>
  db.updateTable('device').set({ name }).where('id', '=', id),
)

/** @returns false where the device used the id before. */
export const rememberCall = changesRow('rememberCall', (db, call: Slots<Database['deviceCall']>) =>
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

/** The domain's requirement for approving a request. */
export const pinRule = firstRow('pinRule', (db, domainId: Slot<string>) =>
  db.selectFrom('domain').select(['keyType', 'maxAllowedRetries']).where('id', '=', domainId),
)

/**
 * Takes one of the tries of a PIN, before it is verified: however many arrive at once, no more than `max` are.
 * @returns the device's hash, and how many were taken; nothing where none is left, or this one was taken already.
 */
export const takePinTry = firstRow(
  'takePinTry',
  (db, { deviceId, attempt, max }: Slots<{ deviceId: string; attempt: string; max: number }>) =>
    db
      .updateTable('device')
      .set((eb) => ({ pinTries: eb('pinTries', '+', 1), pinAttempt: attempt }))
      .where((is) => is.and({ id: deviceId, revokedAt: null }))
      .where('pinTries', '<', max)
      .where((eb) => eb.or([eb('pinAttempt', 'is', null), eb('pinAttempt', '<>', attempt)]))
      .returning(['pin', 'pinTries']),
)

/** @returns how many tries are taken now; nothing where the device is no longer in use. */
export const noteWrongPin = firstValue('noteWrongPin', (db, deviceId: Slot<string>, attempt: Slot<string>) =>
  db
    .updateTable('device')
    .set({ pinWrong: attempt })
    .where((is) => is.and({ id: deviceId, revokedAt: null }))
    .returning('pinTries'),
)

/** Forgets the wrong attempts after a right one. */
export const forgetPinTries = change('forgetPinTries', (db, deviceId: Slot<string>) =>
  db.updateTable('device').set({ pinTries: 0, pinAttempt: null, pinWrong: null }).where('id', '=', deviceId),
)

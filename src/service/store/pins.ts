import { change, firstRow, firstValue } from './statement.ts'
import type { Slot, Slots } from './statement.ts'

/** What a domain requires to approve a request. */
export const pinRule = firstRow('pinRule', (db, domainId: Slot<string>) =>
  db.selectFrom('domain').select(['keyType', 'maxAllowedRetries']).where('id', '=', domainId),
)

/**
 * Takes one of the tries of a PIN, before it is verified: however many arrive at once, no more than `most` are.
 * @returns the device's hash, and how many were taken; nothing where none is left, or this one was taken already.
 */
export const takePinTry = firstRow(
  'takePinTry',
  (db, { deviceId, attempt, most }: Slots<{ deviceId: string; attempt: string; most: number }>) =>
    db
      .updateTable('device')
      .set((eb) => ({ pinTries: eb('pinTries', '+', 1), pinAttempt: attempt }))
      .where((is) => is.and({ id: deviceId, revokedAt: null }))
      .where('pinTries', '<', most)
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

/** After a right one. */
export const forgetPinTries = change('forgetPinTries', (db, deviceId: Slot<string>) =>
  db.updateTable('device').set({ pinTries: 0, pinAttempt: null, pinWrong: null }).where('id', '=', deviceId),
)

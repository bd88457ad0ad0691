import type { NotNull } from 'kysely'

import { isOpenApproval } from '../database/open-approval.ts'
import { isOpenCall } from '../database/open-call.ts'
import { isPending } from '../database/pending.ts'
import { change, firstRow } from '../database/statement.ts'
import type { RowOf, Slot, Slots } from '../database/statement.ts'

/** @param sealed Null for none. */
export const setPush = change('setPush', (db, deviceId: Slot<string>, sealed: Slot<string | null>) =>
  db.updateTable('device').set({ push: sealed }).where('id', '=', deviceId).where('revokedAt', 'is', null),
)

/** Unless the device has set another one meanwhile. */
export const forgetPush = change('forgetPush', (db, { deviceId, sealed }: Slots<Omit<SealedPush, 'userId'>>) =>
  db.updateTable('device').set({ push: null }).where('id', '=', deviceId).where('push', '=', sealed),
)

/** A subscription as the database stores it. */
export type SealedPush = RowOf<typeof pushOfPending>

/** The push subscription for a session that is still pending; nothing otherwise. */
export const pushOfPending = firstRow('pushOfPending', (db, sessionId: Slot<string>, now: Slot<number>) =>
  db
    .selectFrom('session')
    .innerJoin('device', 'device.id', 'session.deviceId')
    .select(['device.id as deviceId', 'session.userId', 'device.push as sealed'])
    .where('session.id', '=', sessionId)
    .where(isPending(now))
    .where('device.revokedAt', 'is', null)
    .where('device.push', 'is not', null)
    .$narrowType<{ sealed: NotNull }>(),
)

/** The push subscription for a phone call that is still to be confirmed; nothing otherwise. */
export const pushOfCall = firstRow('pushOfCall', (db, id: Slot<string>, now: Slot<number>) =>
  db
    .selectFrom('callerVerification')
    .innerJoin('device', 'device.id', 'callerVerification.deviceId')
    .select(['device.id as deviceId', 'device.userId', 'device.push as sealed'])
    .where('callerVerification.id', '=', id)
    .where(isOpenCall(now))
    .where('device.revokedAt', 'is', null)
    .where('device.push', 'is not', null)
    .$narrowType<{ sealed: NotNull }>(),
)

/** The push subscription of a device that is asked to approve an action, while that waits; nothing otherwise. */
export const pushOfApproval = firstRow(
  'pushOfApproval',
  (db, { id, deviceId }: Slots<{ id: string; deviceId: string }>, now: Slot<number>) =>
    db
      .selectFrom('approver')
      .innerJoin('approval', 'approval.id', 'approver.approvalId')
      .innerJoin('device', 'device.id', 'approver.deviceId')
      .select(['device.id as deviceId', 'device.userId', 'device.push as sealed'])
      .where('approver.approvalId', '=', id)
      .where('approver.deviceId', '=', deviceId)
      .where('approver.waiting', '=', 1)
      .where(isOpenApproval(now))
      .where('device.revokedAt', 'is', null)
      .where('device.push', 'is not', null)
      .$narrowType<{ sealed: NotNull }>(),
)

/** The push subscription for a notice that is not acknowledged yet; nothing otherwise. */
export const pushOfNotice = firstRow('pushOfNotice', (db, noticeId: Slot<string>) =>
  db
    .selectFrom('deviceNotice')
    .innerJoin('device', 'device.id', 'deviceNotice.deviceId')
    .select(['device.id as deviceId', 'device.userId', 'device.push as sealed'])
    .where((is) => is.and({ 'deviceNotice.id': noticeId, 'device.revokedAt': null }))
    .where('device.push', 'is not', null)
    .$narrowType<{ sealed: NotNull }>(),
)

/** The push subscription of a device in use, for a test. */
export const pushOfDevice = firstRow('pushOfDevice', (db, deviceId: Slot<string>) =>
  db
    .selectFrom('device')
    .select(['id as deviceId', 'userId', 'push as sealed'])
    .where((is) => is.and({ id: deviceId, revokedAt: null }))
    .where('push', 'is not', null)
    .$narrowType<{ sealed: NotNull }>(),
)

export type PushKeyRow = RowOf<typeof pushKey>

export const pushKey = firstRow('pushKey', (db) => db.selectFrom('pushKey').select(['publicKey', 'privateKey']))

/** Unless this database has one already. */
export const insertPushKey = change('insertPushKey', (db, { publicKey, privateKey }: Slots<PushKeyRow>) =>
  db
    .insertInto('pushKey')
    .values({ row: 1, publicKey, privateKey })
    .onConflict((conflict) => conflict.doNothing()),
)

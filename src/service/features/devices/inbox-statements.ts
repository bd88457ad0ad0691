import { isOpenCall } from '../../engine/database/open-call.ts'
import { firstRow } from '../../engine/database/statement.ts'
import type { Slot, Slots } from '../../engine/database/statement.ts'

/** Whether a device is in use, and what its inbox holds besides requests. Most inboxes hold nothing else. */
export const inboxOfDevice = firstRow(
  'inboxOfDevice',
  (db, slots: Slots<{ deviceId: string; noticesAfter: number }>, now: Slot<number>) =>
    db
      .selectFrom('device')
      .select(['device.revokedAt', 'device.moved', 'device.domainId', 'device.userId'])
      .select((is) => [
        is
          .exists(
            is
              .selectFrom('deviceNotice')
              .select('deviceNotice.id')
              .whereRef('deviceNotice.deviceId', '=', 'device.id')
              .where('deviceNotice.createdAt', '>', slots.noticesAfter),
          )
          .as('hasNotices'),
        is
          .exists(
            is
              .selectFrom('callerVerification')
              .select('callerVerification.id')
              .whereRef('callerVerification.deviceId', '=', 'device.id')
              .where(isOpenCall(now)),
          )
          .as('hasCalls'),
        is
          .exists(
            is
              .selectFrom('approver')
              .select('approver.id')
              .whereRef('approver.domainId', '=', 'device.domainId')
              .whereRef('approver.userId', '=', 'device.userId')
              .where('approver.waiting', '=', 1),
          )
          .as('hasApprovals'),
      ])
      .where('device.id', '=', slots.deviceId),
)

import type { NotNull } from 'kysely'

import { isPending } from '../database/pending.ts'
import { allRows, allValues, firstValue } from '../database/statement.ts'
import type { List, RowOf, Slot } from '../database/statement.ts'
import { isOpenApproval } from '../database/open-approval.ts'
import { isOpenCall } from '../database/open-call.ts'

/** The columns of a session that tell which waiting requests it concerns. */
export type SessionSummary = RowOf<typeof summariesById>

const columns = ['id', 'domainId', 'state', 'expiresAt'] as const

export const summariesById = allRows('summariesById', (db, ids: List<string>) =>
  db.selectFrom('session').select(columns).where('id', 'in', ids),
)

/** Finds the sessions of the domains that settled from a time on. */
export const settledSince = allRows('settledSince', (db, domainIds: List<string>, time: Slot<number>) =>
  db.selectFrom('session').select(columns).where('settledAt', '>=', time).where('domainId', 'in', domainIds),
)

/** Finds the sessions of the domains that expired unanswered after one time and until another, whether that was stored or not. */
export const expiredBetween = allRows(
  'expiredBetween',
  (db, domainIds: List<string>, after: Slot<number>, until: Slot<number>) =>
    db
      .selectFrom('session')
      .select(columns)
      .where('state', 'in', ['pending', 'expired'])
      .where('expiresAt', '>', after)
      .where('expiresAt', '<=', until)
      .where('domainId', 'in', domainIds),
)

/** Finds the time at which the next pending session of the domains expires. */
export const firstExpiry = firstValue('firstExpiry', (db, domainIds: List<string>, now: Slot<number>) =>
  db
    .selectFrom('session')
    .select('expiresAt')
    .where(isPending(now))
    .where('domainId', 'in', domainIds)
    .orderBy('expiresAt')
    .limit(1),
)

/** What of a device's inbox changes whenever a request comes or goes; of all devices that are asked something. */
export const inboxMarks = allRows('inboxMarks', (db, now: Slot<number>) =>
  db
    .selectFrom('session')
    .select((eb) => ['deviceId', eb.fn.countAll<number>().as('pending'), eb.fn.max<number>('sequence').as('newest')])
    .where(isPending(now))
    .where('deviceId', 'is not', null)
    .groupBy('deviceId')
    .$narrowType<{ deviceId: NotNull }>(),
)

export const devicesRevokedSince = allValues('devicesRevokedSince', (db, time: Slot<number>) =>
  db.selectFrom('device').select('id').where('revokedAt', '>=', time),
)

/** A change of a user's epoch, for one of the domains that the user belongs to. */
export type EpochChange = RowOf<typeof epochsChangedAfter>

/** Finds the changes in the domains after a change; several processes may be about to write. */
export const epochsChangedAfter = allRows('epochsChangedAfter', (db, domainIds: List<string>, sequence: Slot<number>) =>
  db
    .selectFrom('epochChange')
    .selectAll()
    .where('sequence', '>', sequence)
    .where('domainId', 'in', domainIds)
    .orderBy('sequence'),
)

/** The number of the newest change. */
export const newestEpochChange = firstValue('newestEpochChange', (db) =>
  db.selectFrom('epochChange').select('sequence').orderBy('sequence', 'desc').limit(1),
)

/** The number of the newest notice of the service. */
export const newestNotice = firstValue('newestNotice', (db) =>
  db.selectFrom('deviceNotice').select('sequence').orderBy('sequence', 'desc').limit(1),
)

/** The devices that got a notice after that one. */
export const devicesNotifiedAfter = allValues('devicesNotifiedAfter', (db, sequence: Slot<number>) =>
  db.selectFrom('deviceNotice').select('deviceId').where('sequence', '>', sequence),
)

/** What of a device's inbox changes whenever a question comes or goes; of all devices that are asked. */
export const callMarks = allRows('callMarks', (db, now: Slot<number>) =>
  db
    .selectFrom('callerVerification')
    .select((eb) => ['deviceId', eb.fn.countAll<number>().as('pending'), eb.fn.max<number>('sequence').as('newest')])
    .where(isOpenCall(now))
    .groupBy('deviceId'),
)

/** The people whose answer to an approval is wanted now, each with the device that was told. */
export const approvalMarks = allRows('approvalMarks', (db, now: Slot<number>) =>
  db
    .selectFrom('approval')
    .innerJoin('approver', 'approver.approvalId', 'approval.id')
    .select(['approver.deviceId', 'approver.sequence', 'approver.waiting'])
    .where(isOpenApproval(now)),
)

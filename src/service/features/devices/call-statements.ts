import type { Selectable } from 'kysely'

import { allRows } from '../../engine/database/statement.ts'
import type { RowOf, Slot, Slots } from '../../engine/database/statement.ts'
import { isOpenCall } from '../../engine/database/open-call.ts'
import type { Database } from '../../engine/database/schema/schema.ts'

/** A question with the names a person knows it by. */
export type OpenCallRow = RowOf<typeof openCallsOfDevice>

/** The questions that wait for an answer of the device, newest first. */
export const openCallsOfDevice = allRows('openCallsOfDevice', (db, deviceId: Slot<string>, now: Slot<number>) =>
  db
    .selectFrom('callerVerification')
    .innerJoin('domain', 'domain.id', 'callerVerification.domainId')
    .innerJoin('user', 'user.id', 'callerVerification.userId')
    .selectAll('callerVerification')
    .select(['domain.name as domainName', 'user.username', 'user.name'])
    .where('callerVerification.deviceId', '=', deviceId)
    .where(isOpenCall(now))
    .orderBy('callerVerification.sequence', 'desc'),
)

/** An answer with the names a person knows it by. */
export type AnsweredCallRow = RowOf<typeof answeredCallsOfDevice>

/** Newest first. */
export const answeredCallsOfDevice = allRows('answeredCallsOfDevice', (db, slots: Slots<Answered>) =>
  db
    .selectFrom('callerVerification')
    .innerJoin('domain', 'domain.id', 'callerVerification.domainId')
    .innerJoin('user', 'user.id', 'callerVerification.userId')
    .selectAll('callerVerification')
    .select(['domain.name as domainName', 'user.username', 'user.name'])
    .where('callerVerification.deviceId', '=', slots.deviceId)
    .where('callerVerification.settledAt', '>', slots.settledAfter)
    .orderBy('callerVerification.sequence', 'desc')
    .limit(slots.limit),
)

export type Answered = Pick<CallerVerificationRow, 'deviceId'> & {
  readonly settledAfter: number
  readonly limit: number
}

export type CallerVerificationRow = Omit<Selectable<Database['callerVerification']>, 'sequence'>

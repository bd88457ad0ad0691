import type { CallDecision, CallState } from '../../../contract/phone-calls.ts'
import { allValues, change, changesRow, firstRow, pick } from '../../engine/database/statement.ts'
import type { Slot, Slots } from '../../engine/database/statement.ts'
import { isOpenCall } from '../../engine/database/open-call.ts'
import type { VerifiedCallQuery } from '../administrators/caller-statements.ts'
import { isOfMember, hasDeviceInUse } from '../administrators/caller-statements.ts'
import type { CallerVerificationRow } from '../devices/call-statements.ts'

type NewRow = Omit<CallerVerificationRow, 'answeredDecision' | 'answeredNumber' | 'settledAt'>

export const insertCallerVerification = change('insertCallerVerification', (db, row: Slots<NewRow>) =>
  db.insertInto('callerVerification').values({
    ...pick(row, ['id', 'organizationId', 'domainId', 'userId', 'deviceId', 'requestedBy', 'state', 'nonce', 'number']),
    ...pick(row, ['keyType', 'createdAt', 'expiresAt']),
  }),
)

type VerificationKey = Pick<CallerVerificationRow, 'organizationId' | 'domainId' | 'userId' | 'id'>

export const callerVerificationOf = firstRow('callerVerificationOf', (db, slots: Slots<VerificationKey>) =>
  db
    .selectFrom('callerVerification')
    .selectAll()
    .where((is) => is.and(pick(slots, ['organizationId', 'domainId', 'userId', 'id']))),
)

/** The newest question of an administrator to a user. */
export const newestCallBy = firstRow('newestCallBy', (db, slots: Slots<VerifiedCallQuery>) =>
  db
    .selectFrom('callerVerification')
    .selectAll()
    .where('userId', '=', slots.userId)
    .where('requestedBy', '=', slots.administratorId)
    .orderBy('sequence', 'desc')
    .limit(1),
)

export const callOfDevice = firstRow('callOfDevice', (db, deviceId: Slot<string>, id: Slot<string>) =>
  db.selectFrom('callerVerification').selectAll().where('id', '=', id).where('deviceId', '=', deviceId),
)

/** Numbers that are being read out to a person. */
export const openCallNumbers = allValues('openCallNumbers', (db, deviceId: Slot<string>, now: Slot<number>) =>
  db.selectFrom('callerVerification').select('number').where('deviceId', '=', deviceId).where(isOpenCall(now)),
)

interface CallAnswer {
  readonly id: string
  readonly deviceId: string
  readonly decision: CallDecision
  readonly number: string | null
  readonly state: CallState
}

/** Settles a question by its device's answer. @returns false where another answer, a revocation or the clock was first. */
export const settleCall = changesRow('settleCall', (db, answer: Slots<CallAnswer>, now: Slot<number>) =>
  db
    .updateTable('callerVerification')
    .set({
      state: answer.state,
      answeredDecision: answer.decision,
      answeredNumber: answer.number,
      settledAt: now,
    })
    .where('id', '=', answer.id)
    .where('deviceId', '=', answer.deviceId)
    .where(isOpenCall(now))
    .where(isOfMember)
    .where(hasDeviceInUse),
)

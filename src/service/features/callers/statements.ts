import type { Expression, ExpressionBuilder, Selectable, SqlBool } from 'kysely'

import { callBlockLength, callOutcomeStands } from '../../../contract/phone-calls.ts'
import type { CallDecision, CallState } from '../../../contract/phone-calls.ts'
import type { KeyType } from '../../../contract/pin.ts'
import { isAsStrong, strongerOf } from './rules.ts'
import { latestBeginning } from '../../engine/base/present.ts'
import type { Database, Queryable } from '../../engine/database/schema.ts'
import {
  allRows,
  allValues,
  change,
  changesRow,
  derived,
  firstRow,
  firstValue,
  pick,
} from '../../engine/database/statement.ts'
import type { RowOf, Slot, Slots } from '../../engine/database/statement.ts'

export type CallerVerificationRow = Omit<Selectable<Database['callerVerification']>, 'sequence'>

type NewRow = Omit<CallerVerificationRow, 'answeredDecision' | 'answeredNumber' | 'settledAt'>

export const insertCallerVerification = change('insertCallerVerification', (db, row: Slots<NewRow>) =>
  db.insertInto('callerVerification').values({
    ...pick(row, ['id', 'organizationId', 'domainId', 'userId', 'deviceId', 'requestedBy', 'state', 'nonce', 'number']),
    ...pick(row, ['keyType', 'createdAt', 'expiresAt']),
  }),
)

/** Whether a question waits for an answer now; as `isPending` for sessions. */
export const isOpenCall =
  (now: Slot<number>) =>
  (eb: ExpressionBuilder<Database, 'callerVerification'>): Expression<SqlBool> =>
    eb.and([
      eb('callerVerification.state', '=', 'pending'),
      eb('callerVerification.expiresAt', '>', now),
      eb('callerVerification.createdAt', '<=', derived(now, latestBeginning)),
    ])

type Of = Pick<CallerVerificationRow, 'organizationId' | 'domainId' | 'userId' | 'id'>

export const callerVerificationOf = firstRow('callerVerificationOf', (db, of: Slots<Of>) =>
  db
    .selectFrom('callerVerification')
    .selectAll()
    .where((is) => is.and(pick(of, ['organizationId', 'domainId', 'userId', 'id']))),
)

interface Asked {
  readonly userId: string
  readonly administratorId: string
}

/** The newest question of an administrator to a user. */
export const newestCallBy = firstRow('newestCallBy', (db, of: Slots<Asked>) =>
  db
    .selectFrom('callerVerification')
    .selectAll()
    .where('userId', '=', of.userId)
    .where('requestedBy', '=', of.administratorId)
    .orderBy('sequence', 'desc')
    .limit(1),
)

export const callOfDevice = firstRow('callOfDevice', (db, deviceId: Slot<string>, id: Slot<string>) =>
  db.selectFrom('callerVerification').selectAll().where('id', '=', id).where('deviceId', '=', deviceId),
)

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

type Answered = Pick<CallerVerificationRow, 'deviceId'> & { readonly settledAfter: number; readonly limit: number }

/** Newest first. */
export const answeredCallsOfDevice = allRows('answeredCallsOfDevice', (db, of: Slots<Answered>) =>
  db
    .selectFrom('callerVerification')
    .innerJoin('domain', 'domain.id', 'callerVerification.domainId')
    .innerJoin('user', 'user.id', 'callerVerification.userId')
    .selectAll('callerVerification')
    .select(['domain.name as domainName', 'user.username', 'user.name'])
    .where('callerVerification.deviceId', '=', of.deviceId)
    .where('callerVerification.settledAt', '>', of.settledAfter)
    .orderBy('callerVerification.sequence', 'desc')
    .limit(of.limit),
)

/** Numbers that are being read out to a person. */
export const openCallNumbers = allValues('openCallNumbers', (db, deviceId: Slot<string>, now: Slot<number>) =>
  db.selectFrom('callerVerification').select('number').where('deviceId', '=', deviceId).where(isOpenCall(now)),
)

/** What of a device's inbox changes whenever a question comes or goes; of all devices that are asked. */
export const callMarks = allRows('callMarks', (db, now: Slot<number>) =>
  db
    .selectFrom('callerVerification')
    .select((eb) => ['deviceId', eb.fn.countAll<number>().as('pending'), eb.fn.max<number>('sequence').as('newest')])
    .where(isOpenCall(now))
    .groupBy('deviceId'),
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

/**
 * Whether this administrator has verified within the last 10 minutes that the user is the one on the phone, by a device that is as
 * strong as needed. A confirmation by a device that was revoked since then does not count, nor that of a user who left the domain.
 */
export async function isCallerVerified(db: Queryable, of: Asked, needed: KeyType, now: number): Promise<boolean> {
  return (await confirmedCalls(db, of, now)).some((keyType) => isAsStrong(keyType, needed))
}

/** @returns what was typed on the devices that have verified the caller. */
const confirmedCalls = allValues('confirmedCalls', (db, of: Slots<Asked>, now: Slot<number>) =>
  db
    .selectFrom('callerVerification')
    .select('keyType')
    .where('userId', '=', of.userId)
    .where('requestedBy', '=', of.administratorId)
    .where('state', '=', 'confirmed')
    .where(
      'settledAt',
      '>',
      derived(now, (time) => time - callOutcomeStands),
    )
    .where('settledAt', '<=', derived(now, latestBeginning))
    .where(isOfMember)
    .where(hasDeviceInUse),
)

/** The strongest of the devices that a user has in any domain. */
export async function strongestDevice(db: Queryable, userId: string): Promise<KeyType> {
  return (await keyTypesOfDevices(db, userId)).reduce(strongerOf, 'NONE')
}

const keyTypesOfDevices = allValues('keyTypesOfDevices', (db, userId: Slot<string>) =>
  db
    .selectFrom('token')
    .innerJoin('domain', 'domain.id', 'token.domainId')
    .select('domain.keyType')
    .where('token.userId', '=', userId)
    .where('token.state', '=', 'active'),
)

/** Whether the user answered No to the help desk, or reported it, within 24 hours. */
export async function isHelpDeskBlocked(db: Queryable, userId: string, now: number): Promise<boolean> {
  return (await helpDeskBlockedUntil(db, userId, now)) !== undefined
}

/** When the help desk can act again on a user who answered No to it; undefined for other users. */
export async function helpDeskBlockedUntil(db: Queryable, userId: string, now: number): Promise<number | undefined> {
  const deniedAt = await deniedCall(db, userId, now)
  return typeof deniedAt === 'number' ? deniedAt + callBlockLength : undefined
}

const deniedCall = firstValue('deniedCall', (db, userId: Slot<string>, now: Slot<number>) =>
  db
    .selectFrom('callerVerification')
    .select('settledAt')
    .where('userId', '=', userId)
    .where('state', 'in', ['denied', 'reported'])
    .where(
      'settledAt',
      '>',
      derived(now, (time) => time - callBlockLength),
    )
    .orderBy('settledAt', 'desc')
    .limit(1),
)

function isOfMember(eb: ExpressionBuilder<Database, 'callerVerification'>) {
  return eb.exists(
    eb
      .selectFrom('member')
      .select('member.userId')
      .whereRef('member.domainId', '=', 'callerVerification.domainId')
      .whereRef('member.userId', '=', 'callerVerification.userId'),
  )
}

function hasDeviceInUse(eb: ExpressionBuilder<Database, 'callerVerification'>) {
  return eb.exists(
    eb
      .selectFrom('device')
      .select('device.id')
      .whereRef('device.id', '=', 'callerVerification.deviceId')
      .where('device.revokedAt', 'is', null),
  )
}

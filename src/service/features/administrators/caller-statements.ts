import type { ExpressionBuilder } from 'kysely'

import type { KeyType } from '../../../contract/pin.ts'
import { isAsStrong, strongerOf } from './rules.ts'
import type { Queryable, Database } from '../../engine/database/schema/schema.ts'
import { callBlockLength, callOutcomeStands } from '../../../contract/phone-calls.ts'
import { latestBeginning } from '../../engine/base/present.ts'
import { allValues, derived, firstValue } from '../../engine/database/statement.ts'
import type { Slot, Slots } from '../../engine/database/statement.ts'

/**
 * Whether this administrator has verified within the last 10 minutes that the user is the one on the phone, by a device that is as
 * strong as needed. A confirmation by a device that was revoked since then does not count, nor that of a user who left the domain.
 */
export async function isCallerVerified(
  db: Queryable,
  request: VerifiedCallQuery,
  needed: KeyType,
  now: number,
): Promise<boolean> {
  return (await confirmedCalls(db, request, now)).some((keyType) => isAsStrong(keyType, needed))
}

/** The strongest of the devices that a user has in any domain. */
export async function strongestDevice(db: Queryable, userId: string): Promise<KeyType> {
  return (await keyTypesOfDevices(db, userId)).reduce(strongerOf, 'NONE')
}

/** Whether the user answered No to the help desk, or reported it, within 24 hours. */
export async function isHelpDeskBlocked(db: Queryable, userId: string, now: number): Promise<boolean> {
  return (await helpDeskBlockedUntil(db, userId, now)) !== undefined
}

export interface VerifiedCallQuery {
  readonly userId: string
  readonly administratorId: string
}

/** @returns what was typed on the devices that have verified the caller. */
const confirmedCalls = allValues('confirmedCalls', (db, slots: Slots<VerifiedCallQuery>, now: Slot<number>) =>
  db
    .selectFrom('callerVerification')
    .select('keyType')
    .where('userId', '=', slots.userId)
    .where('requestedBy', '=', slots.administratorId)
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

const keyTypesOfDevices = allValues('keyTypesOfDevices', (db, userId: Slot<string>) =>
  db
    .selectFrom('token')
    .innerJoin('domain', 'domain.id', 'token.domainId')
    .select('domain.keyType')
    .where('token.userId', '=', userId)
    .where('token.state', '=', 'active'),
)

/** The time at which the help desk can act again on a user who answered No to it; undefined for other users. */
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

export function isOfMember(eb: ExpressionBuilder<Database, 'callerVerification'>) {
  return eb.exists(
    eb
      .selectFrom('member')
      .select('member.userId')
      .whereRef('member.domainId', '=', 'callerVerification.domainId')
      .whereRef('member.userId', '=', 'callerVerification.userId'),
  )
}

export function hasDeviceInUse(eb: ExpressionBuilder<Database, 'callerVerification'>) {
  return eb.exists(
    eb
      .selectFrom('device')
      .select('device.id')
      .whereRef('device.id', '=', 'callerVerification.deviceId')
      .where('device.revokedAt', 'is', null),
  )
}

import { sql } from 'kysely'

import { removeHardwareToken } from '../features/hardware/statements.ts'
import type { Queryable } from '../engine/database/schema/schema.ts'

/** How far ahead codes are used up: the window in which a hardware token is resynchronized, steps. */
const stepsAhead = 10

/** The newest entry of the audit trail: no change that has one is later in a copy. Unix time, seconds; 0 for none. */
export async function lastAuditTime(db: Queryable): Promise<number> {
  const last = await db.selectFrom('audit').select('at').orderBy('position', 'desc').limit(1).executeTakeFirst()
  return last?.at ?? 0
}

/**
 * Ends everything that may have been used up after a backup was made, so that it is not accepted a second time: codes of
 * all kinds, pending and unredeemed sessions, activation codes.
 * @returns how many counter-based tokens are refused until an administrator resynchronizes them.
 */
export async function endAllAccess(db: Queryable, now: number): Promise<number> {
  // Integers are divided without a remainder. A token whose clock is ahead shows later codes, and has used them.
  const lastStep = sql<number>`cast(${now} as bigint) / period + ${stepsAhead} + case when drift > 0 then drift else 0 end`
  await db
    .updateTable('codeGenerator')
    .set({ lastStep, seenStep: null, seenAt: null })
    .where('counter', 'is', null)
    .where('lastStep', '<', lastStep)
    .execute()
  // Only an administrator who has a counter-based token in hand can tell how many codes it has shown since.
  const counterTokens = await db
    .updateTable('codeGenerator')
    .set({ needsResynchronization: 1, seenCounter: null, seenAt: null, syncState: 'Out of Sync' })
    .where('counter', 'is not', null)
    .executeTakeFirstOrThrow()
  await db
    .updateTable('session')
    .set({ state: 'cancelled', reason: 'cancelled', settledAt: now })
    .where('redeemedAt', 'is', null)
    .where('state', 'in', ['pending', 'approved'])
    .execute()
  await db.deleteFrom('bypassCode').execute()
  // Users may have been reset after the backup: what another system has of them may be the seed of a stolen phone.
  await db.updateTable('user').set({ importState: 'restored' }).where('importState', '=', 'open').execute()
  await db.deleteFrom('emailCode').execute()
  await db.deleteFrom('deviceMove').execute()
  await db.deleteFrom('passkeyCeremony').execute()
  await db.deleteFrom('administratorCeremony').execute()
  await db.deleteFrom('administratorInvitation').execute()
  await db.deleteFrom('consent').execute()
  await db
    .updateTable('bulkJob')
    .set({ state: 'stopped', finishedAt: now })
    .where('state', 'in', ['prepared', 'running'])
    .execute()
  await db.deleteFrom('administratorSession').execute()
  await db.deleteFrom('callerVerification').where('state', 'in', ['pending', 'confirmed']).execute()
  await db.updateTable('approver').set({ waiting: 0, passkeyNonce: null }).where('waiting', '=', 1).execute()
  await db.updateTable('approval').set({ state: 'cancelled', settledAt: now }).where('state', '=', 'pending').execute()
  // Their actions may have been done after the backup was made. The proofs stay.
  await db
    .updateTable('approval')
    .set({ redeemedAt: now })
    .where('state', '=', 'approved')
    .where('redeemedAt', 'is', null)
    .where('challenge', 'is not', null)
    .execute()
  await db.deleteFrom('token').where('state', '=', 'pending').execute()
  await db
    .updateTable('token')
    .set({ replacement: null, replacementLookup: null, replacementExpiresAt: null })
    .where('replacement', 'is not', null)
    .execute()
  return Number(counterTokens.numUpdatedRows)
}

/** Finds everything that a revocation after the backup may have ended. */
export async function revocable(db: Queryable) {
  const [devices, hardwareTokens, passkeys, apiKeys, administrators] = await Promise.all([
    db
      .selectFrom('device')
      .innerJoin('user', 'user.id', 'device.userId')
      .innerJoin('domain', 'domain.id', 'device.domainId')
      .select(['device.id', 'device.name', 'user.username', 'domain.name as domain'])
      .where('device.revokedAt', 'is', null)
      .orderBy('device.createdAt', 'desc')
      .execute(),
    db
      .selectFrom('hardwareToken')
      .innerJoin('user', 'user.id', 'hardwareToken.userId')
      .select(['hardwareToken.id', 'hardwareToken.serialNumber', 'user.username'])
      .orderBy('hardwareToken.sequence', 'desc')
      .execute(),
    db
      .selectFrom('passkey')
      .innerJoin('user', 'user.id', 'passkey.userId')
      .select(['passkey.id', 'passkey.name', 'passkey.rpId', 'user.username'])
      .orderBy('passkey.sequence', 'desc')
      .execute(),
    db.selectFrom('apiKey').select(['id', 'role', 'createdAt']).orderBy('createdAt', 'desc').execute(),
    db
      .selectFrom('administrator')
      .select(['id', 'name', 'email', 'role'])
      .where('revokedAt', 'is', null)
      .orderBy('sequence', 'desc')
      .execute(),
  ])
  return { devices, hardwareTokens, passkeys, apiKeys, administrators }
}

/** Finds the token of a device, to revoke the device. */
export function tokenOfDevice(db: Queryable, deviceId: string) {
  return db
    .selectFrom('device')
    .select(['userId', 'domainId'])
    .where('id', '=', deviceId)
    .where('revokedAt', 'is', null)
    .executeTakeFirst()
}

export function tokenById(db: Queryable, id: string) {
  return db.selectFrom('token').select(['userId', 'domainId']).where('id', '=', id).executeTakeFirst()
}

export async function organizationOfUser(db: Queryable, id: string): Promise<string | undefined> {
  const user = await db.selectFrom('user').select('organizationId').where('id', '=', id).executeTakeFirst()
  return user?.organizationId
}

/** Whatever organization has it. @returns false where none has. */
export async function removeHardwareTokenById(db: Queryable, id: string): Promise<boolean> {
  const token = await db.selectFrom('hardwareToken').select('organizationId').where('id', '=', id).executeTakeFirst()
  return token !== undefined && removeHardwareToken(db, token.organizationId, id)
}

/** @returns false where no organization has it. */
export async function removeApiKeyById(db: Queryable, id: string): Promise<boolean> {
  return (await db.deleteFrom('apiKey').where('id', '=', id).executeTakeFirst()).numDeletedRows > 0n
}

import type { Selectable } from 'kysely'

import type { Database, Queryable } from '../../engine/database/schema/schema.ts'
import { firstRow, allRows } from '../../engine/database/statement.ts'
import type { Slot, Slots } from '../../engine/database/statement.ts'
import { latestBeginning } from '../../engine/base/present.ts'

/*
 * What a user has, as every feature that decides about factors reads it. The features that own these tables come later and write them.
 */

export type TokenRow = Selectable<Database['token']>

/** Returns a token whose code has expired, too: `hasExpired` tells. */
export const tokenOf = firstRow('tokenOf', (db, domainId: Slot<string>, userId: Slot<string>) =>
  db.selectFrom('token').selectAll().where('domainId', '=', domainId).where('userId', '=', userId),
)

export type DeviceRow = Selectable<Database['device']>

/** The device that answers for a user in a domain. */
export const activeDevice = firstRow('activeDevice', (db, domainId: Slot<string>, userId: Slot<string>) =>
  db
    .selectFrom('token')
    .innerJoin('device', 'device.tokenId', 'token.id')
    .select(['device.id', 'device.name'])
    .where((is) =>
      is.and({ 'token.domainId': domainId, 'token.userId': userId, 'token.state': 'active', 'device.revokedAt': null }),
    ),
)

/** A pending token whose code has expired reads as absent. */
export function hasExpired(
  token: { state: string; codeExpiresAt: number | null; createdAt: number },
  now: number,
): boolean {
  return token.state === 'pending' && ((token.codeExpiresAt ?? 0) <= now || token.createdAt > latestBeginning(now))
}

/** The user has to be the caller's. */
export const hardwareTokenOfUser = firstRow('hardwareTokenOfUser', (db, userId: Slot<string>) =>
  hardwareTokens(db).where('hardwareToken.userId', '=', userId),
)

/** Oldest first. */
export const passkeysOfUser = allRows('passkeysOfUser', (db, userId: Slot<string>) =>
  db.selectFrom('passkey').selectAll().where('userId', '=', userId).orderBy('sequence'),
)

export const passkeyOfUser = firstRow('passkeyOfUser', (db, { id, userId }: Slots<Owned>) =>
  db
    .selectFrom('passkey')
    .selectAll()
    .where((is) => is.and({ id, userId })),
)

/** The id of the hardware token or the authenticator app (`selfEnrolled`) that the user has. */
export const generatorOfHardware = firstRow('generatorOfHardware', (db, userId: Slot<string>) =>
  ofHardware(db, userId).select('hardwareToken.selfEnrolled'),
)

/** The id of the device that answers for the user in the domain. */
export const generatorOfDevice = firstRow('generatorOfDevice', (db, domainId: Slot<string>, userId: Slot<string>) =>
  ofDevice(db, domainId, userId),
)

export const ofHardware = (db: Queryable, userId: Slot<string>) =>
  db
    .selectFrom('codeGenerator')
    .innerJoin('hardwareToken', 'hardwareToken.id', 'codeGenerator.id')
    .selectAll('codeGenerator')
    .where('hardwareToken.userId', '=', userId)

export const ofDevice = (db: Queryable, domainId: Slot<string>, userId: Slot<string>) =>
  db
    .selectFrom('codeGenerator')
    .innerJoin('device', 'device.id', 'codeGenerator.id')
    .innerJoin('token', 'token.id', 'device.tokenId')
    .selectAll('codeGenerator')
    .where((is) =>
      is.and({ 'token.domainId': domainId, 'token.userId': userId, 'token.state': 'active', 'device.revokedAt': null }),
    )

/** Hardware tokens with what can be shown of them. */
export function hardwareTokens(db: Queryable) {
  return db
    .selectFrom('hardwareToken')
    .innerJoin('codeGenerator', 'codeGenerator.id', 'hardwareToken.id')
    .select([
      'hardwareToken.id',
      'hardwareToken.alias',
      'hardwareToken.serialNumber',
      'hardwareToken.userId',
      'hardwareToken.selfEnrolled',
      'hardwareToken.createdAt',
      'codeGenerator.algorithm',
      'codeGenerator.digits',
      'codeGenerator.period',
      'codeGenerator.lastStep',
      'codeGenerator.drift',
      'codeGenerator.syncState',
      'codeGenerator.counter',
      'codeGenerator.usedAt',
    ])
}

export type Owned = Pick<PasskeyRow, 'id' | 'userId'>

export type PasskeyRow = Selectable<Database['passkey']>

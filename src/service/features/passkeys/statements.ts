import type { Insertable } from 'kysely'

import type { Secrets } from '../../engine/secrets/secrets.ts'
import { endOtherSessions } from '../browsers/epochs.ts'
import type { Database, Queryable } from '../../engine/database/schema/schema.ts'
import { allRows, change, changesRow, firstRow, pick } from '../../engine/database/statement.ts'
import type { List, Slot, Slots } from '../../engine/database/statement.ts'
import type { Owned, PasskeyRow } from '../factors/possessions.ts'

type NewPasskeyRow = Omit<Insertable<Database['passkey']>, 'sequence' | 'lastUsedAt'>

/** @returns false where the organization has the credential already, whosever it is. */
export const insertPasskey = changesRow('insertPasskey', (db, row: Slots<NewPasskeyRow>) =>
  db
    .insertInto('passkey')
    .values({
      ...pick(row, ['id', 'organizationId', 'userId', 'rpId', 'credentialId', 'publicKey', 'counter', 'transports']),
      ...pick(row, ['name', 'syncable', 'synced', 'createdAt']),
    })
    .onConflict((conflict) => conflict.columns(['organizationId', 'credentialId']).doNothing()),
)

/** The passkey of this user that an authenticator has answered with. */
export const passkeyByCredential = firstRow(
  'passkeyByCredential',
  (db, { userId, rpId, credentialId }: Slots<Pick<PasskeyRow, 'userId' | 'rpId' | 'credentialId'>>) =>
    db
      .selectFrom('passkey')
      .selectAll()
      .where((is) => is.and({ userId, rpId, credentialId })),
)

/** The passkey that an authenticator has answered with, where it alone says whose it is. */
export const passkeyOfOrganization = firstRow(
  'passkeyOfOrganization',
  (db, { organizationId, rpId, credentialId }: Slots<Pick<PasskeyRow, 'organizationId' | 'rpId' | 'credentialId'>>) =>
    db
      .selectFrom('passkey')
      .selectAll()
      .where((is) => is.and({ organizationId, rpId, credentialId })),
)

export const renamePasskey = change('renamePasskey', (db, id: Slot<string>, name: Slot<string>) =>
  db.updateTable('passkey').set({ name }).where('id', '=', id),
)

/** Stores each use. Call it in a transaction that has locked the user and compared the counter. */
export const notePasskeyUse = change(
  'notePasskeyUse',
  (db, id: Slot<string>, use: Slots<Pick<PasskeyRow, 'counter' | 'synced'>>, now: Slot<number>) =>
    db.updateTable('passkey').set({ counter: use.counter, synced: use.synced, lastUsedAt: now }).where('id', '=', id),
)

/**
 * Removes a passkey, and ends the web sessions in which its user has passed. In a transaction.
 * @param epoch The user's epoch from then on; random by default.
 * @returns false where the user has no such passkey.
 */
export async function removePasskey(db: Queryable, { id, userId }: Owned, epoch?: string): Promise<boolean> {
  if (!(await deletePasskey(db, { id, userId }))) return false
  await endOtherSessions(db, [userId], epoch)
  return true
}

const deletePasskey = changesRow('deletePasskey', (db, { id, userId }: Slots<Owned>) =>
  db.deleteFrom('passkey').where((is) => is.and({ id, userId })),
)

/** Removes all passkeys of these users, and what ends with each. In a transaction. @returns those that were removed. */
export async function removePasskeys(db: Queryable, userIds: readonly string[]): Promise<Owned[]> {
  const removed = await deletePasskeys(db, userIds)
  await endOtherSessions(db, [...new Set(removed.map(({ userId }) => userId))])
  return removed
}

const deletePasskeys = allRows('deletePasskeys', (db, userIds: List<string>) =>
  db.deleteFrom('passkey').where('userId', 'in', userIds).returning(['id', 'userId']),
)

/**
 * The public key, sealed for its user: it is no secret, but an attacker who writes to the database must not be able to give
 * one user the passkey of another.
 */
export const sealPublicKey = (secrets: Secrets, { id, userId }: Owned, publicKey: Uint8Array): string =>
  secrets.seal(Buffer.from(publicKey).toString('base64url'), { kind: 'passkey', id, userId })

/** @throws {UnsealError} if it was changed, or belongs to another passkey or user. */
export const openPublicKey = (secrets: Secrets, { id, userId, publicKey }: PasskeyRow): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.from(secrets.open(publicKey, { kind: 'passkey', id, userId }), 'base64url'))

import type { Insertable, Selectable } from 'kysely'

import type { Secrets } from '../../engine/secrets/secrets.ts'
import type { Database } from '../../engine/database/schema/schema.ts'
import { allRows, changesRow, firstRow, pick } from '../../engine/database/statement.ts'
import type { Slot, Slots } from '../../engine/database/statement.ts'

export type AdministratorPasskeyRow = Selectable<Database['administratorPasskey']>

type NewRow = Omit<Insertable<Database['administratorPasskey']>, 'sequence' | 'lastUsedAt'>

/** @returns false where an administrator has the credential already. */
export const insertAdministratorPasskey = changesRow('insertAdministratorPasskey', (db, row: Slots<NewRow>) =>
  db
    .insertInto('administratorPasskey')
    .values({
      ...pick(row, ['id', 'administratorId', 'rpId', 'credentialId', 'publicKey', 'counter', 'transports', 'name']),
      ...pick(row, ['syncable', 'synced', 'createdAt']),
    })
    .onConflict((conflict) => conflict.column('credentialId').doNothing()),
)

/** Oldest first. */
export const passkeysOfAdministrator = allRows('passkeysOfAdministrator', (db, administratorId: Slot<string>) =>
  db.selectFrom('administratorPasskey').selectAll().where('administratorId', '=', administratorId).orderBy('sequence'),
)

/** The passkey that an authenticator has answered with. */
export const administratorPasskeyByCredential = firstRow(
  'administratorPasskeyByCredential',
  (db, credentialId: Slot<string>, rpId: Slot<string>) =>
    db.selectFrom('administratorPasskey').selectAll().where('credentialId', '=', credentialId).where('rpId', '=', rpId),
)

type Owned = Pick<AdministratorPasskeyRow, 'id' | 'administratorId'>

/** @returns false where the administrator has no such passkey. */
export const removeAdministratorPasskey = changesRow(
  'removeAdministratorPasskey',
  (db, { id, administratorId }: Slots<Owned>) =>
    db.deleteFrom('administratorPasskey').where((is) => is.and({ id, administratorId })),
)

type Use = Pick<AdministratorPasskeyRow, 'counter' | 'synced' | 'syncable'>

/**
 * Stores the use of a passkey.
 * @returns false where it was removed, or where its backup eligibility changed (WebAuthn section 7.2, step 20).
 */
export const noteAdministratorPasskeyUse = changesRow(
  'noteAdministratorPasskeyUse',
  (db, id: Slot<string>, use: Slots<Use>, now: Slot<number>) =>
    db
      .updateTable('administratorPasskey')
      .set({ counter: use.counter, synced: use.synced, lastUsedAt: now })
      .where('id', '=', id)
      .where('syncable', '=', use.syncable),
)

/** Sealed for its administrator, so that a writer of the database cannot give one administrator the passkey of another. */
export const sealAdministratorKey = (secrets: Secrets, { id, administratorId }: Owned, publicKey: Uint8Array): string =>
  secrets.seal(Buffer.from(publicKey).toString('base64url'), {
    kind: 'administrator passkey',
    id,
    userId: administratorId,
  })

/** @throws {UnsealError} if it was changed, or belongs to another passkey or administrator. */
export const openAdministratorKey = (
  secrets: Secrets,
  { id, administratorId, publicKey }: AdministratorPasskeyRow,
): Uint8Array<ArrayBuffer> => {
  const opened = secrets.open(publicKey, { kind: 'administrator passkey', id, userId: administratorId })
  return new Uint8Array(Buffer.from(opened, 'base64url'))
}

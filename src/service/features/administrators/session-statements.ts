import type { Selectable } from 'kysely'

import type { Database } from '../../engine/database/schema/schema.ts'
import { allRows, allValues, change, changesRow, firstRow, pick } from '../../engine/database/statement.ts'
import type { Slot, Slots } from '../../engine/database/statement.ts'

export type AdministratorSessionRow = Selectable<Database['administratorSession']>

export const insertAdministratorSession = change(
  'insertAdministratorSession',
  (db, row: Slots<AdministratorSessionRow>) =>
    db
      .insertInto('administratorSession')
      .values(pick(row, ['hash', 'administratorId', 'createdAt', 'usedAt', 'passedAt'])),
)

/** A session with its administrator, who was not revoked. Whether it has ended, the caller decides. */
export const signedInAdministrator = firstRow('signedInAdministrator', (db, hash: Slot<string>) =>
  db
    .selectFrom('administratorSession')
    .innerJoin('administrator', 'administrator.id', 'administratorSession.administratorId')
    .selectAll('administrator')
    .select([
      'administratorSession.hash',
      'administratorSession.createdAt as signedInAt',
      'administratorSession.usedAt',
      'administratorSession.passedAt',
    ])
    .where('administratorSession.hash', '=', hash)
    .where('administrator.revokedAt', 'is', null),
)

export const noteSessionUse = change('noteSessionUse', (db, hash: Slot<string>, now: Slot<number>) =>
  db.updateTable('administratorSession').set({ usedAt: now }).where('hash', '=', hash),
)

/** @returns false where the session has ended meanwhile. */
export const notePass = changesRow('notePass', (db, hash: Slot<string>, now: Slot<number>) =>
  db.updateTable('administratorSession').set({ usedAt: now, passedAt: now }).where('hash', '=', hash),
)

export const removeAdministratorSession = change('removeAdministratorSession', (db, hash: Slot<string>) =>
  db.deleteFrom('administratorSession').where('hash', '=', hash),
)

/** Newest first. */
export const sessionsOfAdministrator = allRows('sessionsOfAdministrator', (db, administratorId: Slot<string>) =>
  db
    .selectFrom('administratorSession')
    .selectAll()
    .where('administratorId', '=', administratorId)
    .orderBy('createdAt', 'desc')
    .orderBy('hash'),
)

/** @returns the hashes of those that were removed. */
export const removeAdministratorSessions = allValues(
  'removeAdministratorSessions',
  (db, administratorId: Slot<string>) =>
    db.deleteFrom('administratorSession').where('administratorId', '=', administratorId).returning('hash'),
)

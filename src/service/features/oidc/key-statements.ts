import type { Selectable } from 'kysely'

import type { Database } from '../../engine/database/schema/schema.ts'
import { allRows, allValues, changesRow, pick } from '../../engine/database/statement.ts'
import type { Slot, Slots } from '../../engine/database/statement.ts'

export type OidcKeyRow = Selectable<Database['oidcKey']>

export const oidcKeys = allRows('oidcKeys', (db) => db.selectFrom('oidcKey').selectAll().orderBy('generation'))

/** @returns false where another node has made the next key meanwhile. */
export const insertOidcKey = changesRow('insertOidcKey', (db, row: Slots<OidcKeyRow>) =>
  db
    .insertInto('oidcKey')
    .values(pick(row, ['id', 'generation', 'ringKey', 'publicKey', 'privateKey', 'createdAt', 'signsFrom']))
    .onConflict((conflict) => conflict.doNothing()),
)

/** @returns the ids of those that were there. */
export const deleteKeysBefore = allValues('deleteKeysBefore', (db, generation: Slot<number>) =>
  db.deleteFrom('oidcKey').where('generation', '<', generation).returning('id'),
)

/** All of them: the next one that is needed is made anew. */
export const deleteAllKeys = changesRow('deleteAllKeys', (db) => db.deleteFrom('oidcKey'))

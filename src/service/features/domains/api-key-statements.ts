import type { Selectable } from 'kysely'

import type { Database } from '../../engine/database/schema/schema.ts'
import { allRows, change, changesRow, firstRow, pick } from '../../engine/database/statement.ts'
import type { Slot, Slots } from '../../engine/database/statement.ts'

type ApiKeyRow = Selectable<Database['apiKey']>

export const insertApiKey = change('insertApiKey', (db, row: Slots<Omit<ApiKeyRow, 'usedAt'>>) =>
  db.insertInto('apiKey').values(pick(row, ['id', 'organizationId', 'hash', 'role', 'domainId', 'createdAt'])),
)

export const apiKeyByHash = firstRow('apiKeyByHash', (db, hash: Slot<string>) =>
  db.selectFrom('apiKey').selectAll().where('hash', '=', hash),
)

export const noteApiKeyUse = change('noteApiKeyUse', (db, id: Slot<string>, now: Slot<number>) =>
  db.updateTable('apiKey').set({ usedAt: now }).where('id', '=', id),
)

/** Oldest first. */
export const apiKeysOf = allRows('apiKeysOf', (db, organizationId: Slot<string>) =>
  db.selectFrom('apiKey').selectAll().where('organizationId', '=', organizationId).orderBy('createdAt').orderBy('id'),
)

/** @returns false where the organization has no such key. */
export const removeApiKey = changesRow('removeApiKey', (db, organizationId: Slot<string>, id: Slot<string>) =>
  db.deleteFrom('apiKey').where('organizationId', '=', organizationId).where('id', '=', id),
)

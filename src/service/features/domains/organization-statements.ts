import type { Insertable } from 'kysely'

import type { InterfaceWords } from '../../engine/base/interface-words.ts'
import type { Database, Queryable } from '../../engine/database/schema.ts'
import { allRows, change, changesRow, firstRow, oneRow, pick, withDefaults } from '../../engine/database/statement.ts'
import type { Slot, Slots } from '../../engine/database/statement.ts'

/** @returns the service's id: the one given where there was none yet. */
export async function serviceId(db: Queryable, id: string): Promise<string> {
  await insertService(db, id)
  return (await readService(db)).id
}

const insertService = change('insertService', (db, id: Slot<string>) =>
  db
    .insertInto('service')
    .values({ row: 1, id })
    .onConflict((conflict) => conflict.doNothing()),
)

const readService = oneRow('readService', (db) => db.selectFrom('service').select('id'))

const setServiceId = change('setServiceId', (db, id: Slot<string>) => db.updateTable('service').set({ id }))

/** Longer than a page of SQLite: to store it, the file needs room. */
const filler = 'x'.repeat(12_000)

/**
 * Finds out whether the database takes changes: changes the service's row and changes it back, in a transaction. The same
 * value again would not do, because SQLite does not write what is there already.
 */
export async function rewriteService(db: Queryable): Promise<void> {
  const { id } = await readService(db)
  await setServiceId(db, filler)
  await setServiceId(db, id)
}

/** The stored words; fields that are not stored are absent. */
export async function storedInterfaceWords(db: Queryable): Promise<InterfaceWords> {
  const row = await db.selectFrom('service').select(['scheme', 'mediaType', 'basePath']).executeTakeFirst()
  return Object.fromEntries(Object.entries(row ?? {}).filter(([, value]) => value !== null))
}

/** Stores these; absent fields stay unchanged. */
export async function storeInterfaceWords(db: Queryable, words: InterfaceWords): Promise<void> {
  if (Object.keys(words).length > 0) await db.updateTable('service').set(words).execute()
}

export const insertOrganization = changesRow(
  'insertOrganization',
  (db, row: Slots<Insertable<Database['organization']>>) =>
    db
      .insertInto('organization')
      .values({ ...pick(row, ['id', 'name', 'createdAt']), ...withDefaults(row, { appName: null }) })
      .onConflict((conflict) => conflict.doNothing()),
)

export const organizationById = firstRow('organizationById', (db, id: Slot<string>) =>
  db.selectFrom('organization').selectAll().where('id', '=', id),
)

export const organizationByName = firstRow('organizationByName', (db, name: Slot<string>) =>
  db.selectFrom('organization').selectAll().where('name', '=', name),
)

/** By name. */
export const organizations = allRows('organizations', (db) => db.selectFrom('organization').selectAll().orderBy('name'))

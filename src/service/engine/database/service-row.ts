import type { InterfaceWords } from '../base/interface-words.ts'
import type { Queryable } from './schema/schema.ts'
import { change, oneRow } from './statement.ts'
import type { Slot } from './statement.ts'

/** @returns the service's id: the one given where there was none yet. */
export async function serviceId(db: Queryable, id: string): Promise<string> {
  await insertService(db, id)
  return (await readService(db)).id
}

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

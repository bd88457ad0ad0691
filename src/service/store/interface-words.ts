import type { InterfaceWords } from '../ground/interface-words.ts'
import type { Queryable } from './schema.ts'

/** The stored words; fields that are not stored are absent. */
export async function storedInterfaceWords(db: Queryable): Promise<InterfaceWords> {
  const row = await db.selectFrom('service').select(['scheme', 'mediaType', 'basePath']).executeTakeFirst()
  return Object.fromEntries(Object.entries(row ?? {}).filter(([, value]) => value !== null))
}

/** Stores these; absent fields stay unchanged. */
export async function storeInterfaceWords(db: Queryable, words: InterfaceWords): Promise<void> {
  if (Object.keys(words).length > 0) await db.updateTable('service').set(words).execute()
}

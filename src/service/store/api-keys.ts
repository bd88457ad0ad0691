import { prepare } from './prepared.ts'
import type { ApiKeyTable, Queryable } from './schema.ts'

export async function insertApiKey(db: Queryable, row: ApiKeyTable): Promise<void> {
  await db.insertInto('apiKey').values(row).execute()
}

export function apiKeyByHash(db: Queryable, hash: string): Promise<ApiKeyTable | undefined> {
  return byHash(db, { hash }).executeTakeFirst()
}

const byHash = prepare((db, { hash }: { hash: string }) => db.selectFrom('apiKey').selectAll().where('hash', '=', hash))

/** Oldest first. */
export function apiKeysOf(db: Queryable, organizationId: string): Promise<ApiKeyTable[]> {
  return db
    .selectFrom('apiKey')
    .selectAll()
    .where('organizationId', '=', organizationId)
    .orderBy('createdAt')
    .orderBy('id')
    .execute()
}

/** @returns false where the organization has no such key. */
export async function removeApiKey(db: Queryable, organizationId: string, id: string): Promise<boolean> {
  const removed = await db
    .deleteFrom('apiKey')
    .where('organizationId', '=', organizationId)
    .where('id', '=', id)
    .executeTakeFirst()
  return removed.numDeletedRows === 1n
}

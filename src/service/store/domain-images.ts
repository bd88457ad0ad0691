import type { NamedImage } from '../rules/image.ts'
import type { Queryable } from './schema.ts'

export async function imageOfDomain(db: Queryable, domainId: string): Promise<NamedImage | undefined> {
  const row = await db.selectFrom('domainImage').selectAll().where('domainId', '=', domainId).executeTakeFirst()
  return row && { bytes: Buffer.from(row.png, 'base64'), etag: row.etag }
}

export async function setImageOfDomain(db: Queryable, domainId: string, image: NamedImage): Promise<void> {
  const content = { png: Buffer.from(image.bytes).toString('base64'), etag: image.etag }
  await db
    .insertInto('domainImage')
    .values({ domainId, ...content })
    .onConflict((conflict) => conflict.column('domainId').doUpdateSet(content))
    .execute()
}

/** @returns false where there was none. */
export async function removeImageOfDomain(db: Queryable, domainId: string): Promise<boolean> {
  const removed = await db.deleteFrom('domainImage').where('domainId', '=', domainId).executeTakeFirst()
  return removed.numDeletedRows === 1n
}

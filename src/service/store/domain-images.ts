import type { NamedImage } from '../rules/image.ts'
import type { Queryable } from './schema.ts'
import { change, changesRow, derived, firstRow } from './statement.ts'
import type { Slot, Slots } from './statement.ts'

export async function imageOfDomain(db: Queryable, domainId: string): Promise<NamedImage | undefined> {
  const row = await readImage(db, domainId)
  return row && { bytes: Buffer.from(row.png, 'base64'), etag: row.etag }
}

const readImage = firstRow('readImage', (db, domainId: Slot<string>) =>
  db.selectFrom('domainImage').selectAll().where('domainId', '=', domainId),
)

export const setImageOfDomain = change('setImageOfDomain', (db, domainId: Slot<string>, image: Slots<NamedImage>) => {
  const png = derived(image.bytes, (bytes) => Buffer.from(bytes).toString('base64'))
  return db
    .insertInto('domainImage')
    .values({ domainId, png, etag: image.etag })
    .onConflict((conflict) => conflict.column('domainId').doUpdateSet({ png, etag: image.etag }))
})

/** @returns false where there was none. */
export const removeImageOfDomain = changesRow('removeImageOfDomain', (db, domainId: Slot<string>) =>
  db.deleteFrom('domainImage').where('domainId', '=', domainId),
)

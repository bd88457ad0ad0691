import type { Insertable, Selectable, Updateable } from 'kysely'

import { domainSwitches } from '../../../contract/domains.ts'
import type { NamedImage } from '../../engine/http/image.ts'
import type { Database, Queryable } from '../../engine/database/schema/schema.ts'
import {
  allRows,
  change,
  changesRow,
  derived,
  firstRow,
  firstValue,
  pick,
  withDefaults,
} from '../../engine/database/statement.ts'
import type { Slot, Slots } from '../../engine/database/statement.ts'

export type DomainRow = Selectable<Database['domain']>
export type DomainChanges = Omit<
  Updateable<Database['domain']>,
  'id' | 'organizationId' | 'createdAt' | 'synchronizationTicket' | 'synchronizationApplied'
>

export const insertDomain = changesRow('insertDomain', (db, row: Slots<Insertable<Database['domain']>>) =>
  db
    .insertInto('domain')
    .values({
      ...pick(row, ['id', 'organizationId', 'name', 'type', 'keyType', 'maxAllowedRetries', 'requestTimeout']),
      ...pick(row, ['activationCodeExpiration', ...domainSwitches, 'numberMatching', 'createdAt']),
      ...withDefaults(row, { appName: null, phishingResistant: 'off' as const }),
    })
    .onConflict((conflict) => conflict.doNothing()),
)

export const domainById = firstRow('domainById', (db, organizationId: Slot<string>, id: Slot<string>) =>
  db.selectFrom('domain').selectAll().where('id', '=', id).where('organizationId', '=', organizationId),
)

export const domainByName = firstRow('domainByName', (db, organizationId: Slot<string>, name: Slot<string>) =>
  db.selectFrom('domain').selectAll().where('organizationId', '=', organizationId).where('name', '=', name),
)

/** The domains of an organization in the order of their names. */
export const domainsOf = allRows('domainsOf', (db, organizationId: Slot<string>) =>
  db.selectFrom('domain').selectAll().where('organizationId', '=', organizationId).orderBy('name'),
)

/** Built for each call, as its columns are those that change. @returns false for another key type while tokens are active. */
export async function updateDomain(db: Queryable, id: string, changes: DomainChanges): Promise<boolean> {
  if (Object.values(changes).every((value) => value === undefined)) return true
  const { keyType } = changes
  const active = db.selectFrom('token').select('id').where('domainId', '=', id).where('state', '=', 'active')
  const updated = await db
    .updateTable('domain')
    .set(changes)
    .where('id', '=', id)
    .$if(keyType !== undefined, (query) =>
      query.where((is) => is.or([is('keyType', '=', keyType ?? 'NONE'), is.not(is.exists(active))])),
    )
    .executeTakeFirst()
  return updated.numUpdatedRows === 1n
}

/** The organization of a domain; an empty text where there is no such domain. */
export const organizationOfDomain = async (db: Queryable, id: string): Promise<string> => (await ownerOf(db, id)) ?? ''

const ownerOf = firstValue('ownerOf', (db, id: Slot<string>) =>
  db.selectFrom('domain').select('organizationId').where('id', '=', id),
)

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

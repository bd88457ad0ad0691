import type { Insertable, Selectable, Updateable } from 'kysely'

import type { DomainTable, Queryable } from './schema.ts'

export type DomainRow = Selectable<DomainTable>
export type DomainChanges = Omit<
  Updateable<DomainTable>,
  'id' | 'organizationId' | 'createdAt' | 'synchronizationTicket' | 'synchronizationApplied'
>

export async function insertDomain(db: Queryable, row: Insertable<DomainTable>): Promise<boolean> {
  const inserted = await db
    .insertInto('domain')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return inserted.numInsertedOrUpdatedRows === 1n
}

export function domainById(db: Queryable, organizationId: string, id: string): Promise<DomainRow | undefined> {
  return db
    .selectFrom('domain')
    .selectAll()
    .where('id', '=', id)
    .where('organizationId', '=', organizationId)
    .executeTakeFirst()
}

export function domainByName(db: Queryable, organizationId: string, name: string): Promise<DomainRow | undefined> {
  return db
    .selectFrom('domain')
    .selectAll()
    .where('organizationId', '=', organizationId)
    .where('name', '=', name)
    .executeTakeFirst()
}

/** By name. */
export function domainsOf(db: Queryable, organizationId: string): Promise<DomainRow[]> {
  return db.selectFrom('domain').selectAll().where('organizationId', '=', organizationId).orderBy('name').execute()
}

/** @returns false where another key type is asked for while tokens are active. */
export async function updateDomain(db: Queryable, id: string, changes: DomainChanges): Promise<boolean> {
  if (Object.keys(changes).length === 0) return true
  const { keyType } = changes
  const updated = await db
    .updateTable('domain')
    .set(changes)
    .where('id', '=', id)
    .$if(keyType !== undefined, (query) =>
      query.where((is) =>
        is.or([
          is('keyType', '=', keyType ?? 'NONE'),
          is.not(
            is.exists(
              is.selectFrom('token').select('token.id').where('domainId', '=', id).where('state', '=', 'active'),
            ),
          ),
        ]),
      ),
    )
    .executeTakeFirst()
  return updated.numUpdatedRows === 1n
}

/** Whose a domain is; an empty text for nobody's. */
export async function organizationOfDomain(db: Queryable, id: string): Promise<string> {
  const domain = await db.selectFrom('domain').select('organizationId').where('id', '=', id).executeTakeFirst()
  return domain?.organizationId ?? ''
}

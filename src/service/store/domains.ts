import type { Selectable } from 'kysely'

import type { DomainTable, Queryable } from './schema.ts'

export type DomainRow = Selectable<DomainTable>

export async function insertDomain(db: Queryable, row: DomainTable): Promise<boolean> {
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

import type { Insertable, Selectable } from 'kysely'

import type { OrganizationTable, Queryable } from './schema.ts'

export type OrganizationRow = Selectable<OrganizationTable>

/** @returns the service's id: the one given where there was none yet. */
export async function serviceId(db: Queryable, id: string): Promise<string> {
  await db
    .insertInto('service')
    .values({ row: 1, id })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return (await db.selectFrom('service').select('id').executeTakeFirstOrThrow()).id
}

/** Longer than a page of SQLite: to store it, the file needs room. */
const filler = 'x'.repeat(12_000)

/**
 * Finds out whether the database takes changes: changes the service's row and changes it back, in a transaction. The same
 * value again would not do, because SQLite does not write what is there already.
 */
export async function rewriteService(db: Queryable): Promise<void> {
  const { id } = await db.selectFrom('service').select('id').executeTakeFirstOrThrow()
  await db.updateTable('service').set({ id: filler }).execute()
  await db.updateTable('service').set({ id }).execute()
}

export async function insertOrganization(db: Queryable, row: Insertable<OrganizationTable>): Promise<boolean> {
  const inserted = await db
    .insertInto('organization')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return inserted.numInsertedOrUpdatedRows === 1n
}

export function organizationById(db: Queryable, id: string): Promise<OrganizationRow | undefined> {
  return db.selectFrom('organization').selectAll().where('id', '=', id).executeTakeFirst()
}

export function organizationByName(db: Queryable, name: string): Promise<OrganizationRow | undefined> {
  return db.selectFrom('organization').selectAll().where('name', '=', name).executeTakeFirst()
}

/** By name. */
export function organizations(db: Queryable): Promise<OrganizationRow[]> {
  return db.selectFrom('organization').selectAll().orderBy('name').execute()
}

import type { OrganizationTable, Queryable } from './schema.ts'

/** @returns the service's id: the one given where there was none yet. */
export async function serviceId(db: Queryable, id: string): Promise<string> {
  await db
    .insertInto('service')
    .values({ row: 1, id })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
  return (await db.selectFrom('service').select('id').executeTakeFirstOrThrow()).id
}

export async function insertOrganization(db: Queryable, row: OrganizationTable): Promise<boolean> {
  const inserted = await db
    .insertInto('organization')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return inserted.numInsertedOrUpdatedRows === 1n
}

export function organizationById(db: Queryable, id: string): Promise<OrganizationTable | undefined> {
  return db.selectFrom('organization').selectAll().where('id', '=', id).executeTakeFirst()
}

export function organizationByName(db: Queryable, name: string): Promise<OrganizationTable | undefined> {
  return db.selectFrom('organization').selectAll().where('name', '=', name).executeTakeFirst()
}

/** By name. */
export function organizations(db: Queryable): Promise<OrganizationTable[]> {
  return db.selectFrom('organization').selectAll().orderBy('name').execute()
}

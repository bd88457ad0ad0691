import type { Queryable } from './schema.ts'

interface Naming {
  readonly id: string
  /** What it is called now. */
  readonly from: string
  readonly to: string
}

/** Gives an organization the name of its app. @returns false where another one has that name. */
export async function nameOrganization(db: Queryable, { id, from, to }: Naming): Promise<boolean> {
  const namesake = db
    .selectFrom('organization as other')
    .select('other.id')
    .where('name', '=', to)
    .where('id', '!=', id)
  const { numUpdatedRows } = await db
    .updateTable('organization')
    .set({ name: to, appName: to })
    .where('id', '=', id)
    .where('name', '=', from)
    .where((is) => is.not(is.exists(namesake)))
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

/** Gives a domain the name of its app. @returns false where another one of its organization has that name. */
export async function nameDomain(db: Queryable, organizationId: string, { id, from, to }: Naming): Promise<boolean> {
  const namesake = db
    .selectFrom('domain as other')
    .select('other.id')
    .where('organizationId', '=', organizationId)
    .where('name', '=', to)
    .where('id', '!=', id)
  const { numUpdatedRows } = await db
    .updateTable('domain')
    .set({ name: to, appName: to })
    .where('id', '=', id)
    .where('name', '=', from)
    .where((is) => is.not(is.exists(namesake)))
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

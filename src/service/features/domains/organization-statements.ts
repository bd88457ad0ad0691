import type { Insertable } from 'kysely'

import type { Database } from '../../engine/database/schema/schema.ts'
import { allRows, changesRow, firstRow, pick, withDefaults } from '../../engine/database/statement.ts'
import type { Slot, Slots } from '../../engine/database/statement.ts'

export const insertOrganization = changesRow(
  'insertOrganization',
  (db, row: Slots<Insertable<Database['organization']>>) =>
    db
      .insertInto('organization')
      .values({ ...pick(row, ['id', 'name', 'createdAt']), ...withDefaults(row, { appName: null }) })
      .onConflict((conflict) => conflict.doNothing()),
)

export const organizationById = firstRow('organizationById', (db, id: Slot<string>) =>
  db.selectFrom('organization').selectAll().where('id', '=', id),
)

export const organizationByName = firstRow('organizationByName', (db, name: Slot<string>) =>
  db.selectFrom('organization').selectAll().where('name', '=', name),
)

/** All organizations in the order of their names. */
export const organizations = allRows('organizations', (db) => db.selectFrom('organization').selectAll().orderBy('name'))

import { changesRow } from '../../engine/database/statement.ts'
import type { Slot, Slots } from '../../engine/database/statement.ts'

/** @property from The current name. */
type Naming = Slots<{ readonly id: string; readonly from: string; readonly to: string }>

/** Gives an organization the name of its app. @returns false where another one has that name. */
export const nameOrganization = changesRow('nameOrganization', (db, { id, from, to }: Naming) => {
  const namesakes = db.selectFrom('organization').select('id').where('name', '=', to).where('id', '!=', id)
  return db
    .updateTable('organization')
    .set({ name: to, appName: to })
    .where((is) => is.and({ id, name: from }))
    .where((is) => is.not(is.exists(namesakes)))
})

/** Gives a domain the name of its app. @returns false where another one of its organization has that name. */
export const nameDomain = changesRow('nameDomain', (db, organizationId: Slot<string>, { id, from, to }: Naming) => {
  const rows = db.selectFrom('domain').select('id').where('organizationId', '=', organizationId).where('name', '=', to)
  return db
    .updateTable('domain')
    .set({ name: to, appName: to })
    .where((is) => is.and({ id, name: from }))
    .where((is) => is.not(is.exists(rows.where('id', '!=', id))))
})

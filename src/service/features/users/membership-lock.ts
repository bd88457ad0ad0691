import { firstValue, isPostgres } from '../../engine/database/statement.ts'
import type { Slot } from '../../engine/database/statement.ts'

/*
 * A synchronization makes the memberships of any number of users count by one row, and locks none of the users. A change that is
 * decided by the domains of a user holds the organization's row meanwhile. SQLite needs no locks: its transactions follow each other.
 */

/** Until this transaction ends, no synchronization changes the domains of users. Any number of transactions can hold them at once. */
export const holdMemberships = firstValue('holdMemberships', (db, organizationId: Slot<string>) => {
  const rows = db.selectFrom('organization').select('id').where('id', '=', organizationId)
  return isPostgres(db) ? rows.forShare() : rows
})

/** Locks the memberships for the transaction by which a synchronization counts: it waits for those that hold them, and they wait for it. */
export const lockMemberships = firstValue('lockMemberships', (db, organizationId: Slot<string>) => {
  const rows = db.selectFrom('organization').select('id').where('id', '=', organizationId)
  return isPostgres(db) ? rows.forNoKeyUpdate() : rows
})

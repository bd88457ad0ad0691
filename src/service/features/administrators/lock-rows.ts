import { lockAdministrator } from './statements.ts'
import { holdMemberships } from '../users/membership-lock.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { lockUser } from '../users/statements.ts'

/** The person whom a change is about, and the administrators whose access it reads or changes. */
export interface Locked {
  readonly organizationId: string
  /** Absent where the change concerns no person. */
  readonly userId: string | undefined
  readonly administratorIds: readonly string[]
}

/**
 * Locks what a decision is read from, in the same order everywhere, so that no two changes wait for each other: the user, the
 * memberships of the organization, administrators by their ids. Evidence comes after them.
 */
export async function lockRows(db: Queryable, { organizationId, userId, administratorIds }: Locked): Promise<void> {
  if (userId !== undefined) {
    await lockUser(db, organizationId, userId)
    await holdMemberships(db, organizationId)
  }
  for (const id of [...new Set(administratorIds)].toSorted()) await lockAdministrator(db, id)
}

import type { SignedIn } from '../../engine/context/caller.ts'
import { namesake } from './namesake-statements.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { userById } from '../users/statements.ts'

type Administrator = Pick<SignedIn, 'id' | 'organizationId' | 'userId' | 'email'>

interface User {
  readonly id: string
  readonly email: string
}

/**
 * Whose record a user is, as seen from an administrator. `own`: an owner has said that it is the administrator's. `undecided`: it
 * has the same e-mail address, and no owner has said whose it is. An address alone proves nothing: people have it changed.
 */
export type Ownership = 'own' | 'undecided' | 'other'

/** An administrator's own record: as administrator, or as a user. */
export const isOwnRecord = (
  administrator: Pick<Administrator, 'id' | 'userId'>,
  { administratorId, userId }: Readonly<Record<string, string>>,
): boolean => administratorId === administrator.id || (userId !== undefined && userId === administrator.userId)

/** Says whose record it is that a change is about. */
export async function ownershipOf(db: Queryable, administrator: Administrator, userId: string): Promise<Ownership> {
  const user = await userById(db, administrator.organizationId, userId)
  return user ? ownership(db, administrator, user) : 'other'
}

export async function ownership(db: Queryable, administrator: Administrator, user: User): Promise<Ownership> {
  if (user.id === administrator.userId) return 'own'
  if (user.email === '' || user.email.toLowerCase() !== administrator.email.toLowerCase()) return 'other'
  return (await namesake(db, administrator.id, user.id)) === undefined ? 'undecided' : 'other'
}

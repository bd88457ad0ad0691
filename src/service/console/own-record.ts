import type { SignedIn } from '../context/caller.ts'
import type { Queryable } from '../store/schema.ts'
import { userById } from '../store/users.ts'

/** An administrator's own record: as administrator, as the linked user, or as a user with the same e-mail address. */
export async function isOwnRecord(
  db: Queryable,
  { id, organizationId, userId, email }: Omit<SignedIn, 'session'>,
  params: Readonly<Record<string, string>>,
): Promise<boolean> {
  if (params['administratorId'] === id) return true
  if (params['userId'] === undefined) return false
  if (params['userId'] === userId) return true
  const user = await userById(db, organizationId, params['userId'])
  return user !== undefined && user.email !== '' && user.email.toLowerCase() === email.toLowerCase()
}

import type { SignedIn } from '../context/caller.ts'
import type { Queryable } from '../store/schema.ts'
import { userById } from '../store/users.ts'

type Administrator = Omit<SignedIn, 'session'>

/** An administrator's own record: as administrator, or as a user. */
export async function isOwnRecord(
  db: Queryable,
  administrator: Administrator,
  { administratorId, userId }: Readonly<Record<string, string>>,
): Promise<boolean> {
  if (administratorId === administrator.id) return true
  const user = userId === undefined ? undefined : await userById(db, administrator.organizationId, userId)
  return user !== undefined && isOwnUser(administrator, user)
}

/** Whether a user is the administrator: the one that the invitation links, or one with the same e-mail address. */
export const isOwnUser = (
  administrator: Pick<Administrator, 'userId' | 'email'>,
  user: { readonly id: string; readonly email: string },
): boolean =>
  user.id === administrator.userId ||
  (user.email !== '' && user.email.toLowerCase() === administrator.email.toLowerCase())

import { findMember } from '../challenge/user.ts'
import type { ConnectedService } from '../challenge/service.ts'
import type { User } from '../contract/users.ts'
import { Username } from '../contract/users.ts'
import { EntraError } from './entra-error.ts'

/**
 * The member of the domain whom a tenant names. Entra compares its usernames without regard to case, and shows them as somebody has typed
 * them.
 *
 * @throws {EntraError} `access_denied` where there is none.
 */
export async function findEntraUser(service: ConnectedService, claimed: string): Promise<User> {
  const { data: username } = Username.safeParse(claimed)
  const member =
    username !== undefined &&
    ((await findMember(service, { username })) ?? (await findMember(service, { username: username.toLowerCase() })))
  if (!member) throw new EntraError('access_denied', 'the user is no member of the domain')
  return member
}

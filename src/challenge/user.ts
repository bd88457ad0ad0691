import { z } from 'zod'

import { ApiError } from '../client/errors.ts'
import { Id } from '../contract/text.ts'
import type { User } from '../contract/users.ts'
import { Email, Name, Username } from '../contract/users.ts'
import type { ConnectedService } from './service.ts'

/** The app user, as the service is to know it. */
export const MfaUser = z
  .object({ username: Username.optional(), id: Id.optional(), name: Name.optional(), email: Email.optional() })
  .refine((user) => (user.username === undefined) !== (user.id === undefined), 'give either username or id')
export type MfaUser = z.infer<typeof MfaUser>

/** What markers and challenges are bound to. */
export function userKeyOf(user: MfaUser): string {
  return user.id === undefined ? `username:${user.username}` : `id:${user.id}`
}

/** How a session names the user. */
export function referenceOf(user: MfaUser): { id: string } | { username: string } {
  return user.id === undefined ? { username: user.username ?? '' } : { id: user.id }
}

/** The service's user of an app user; undefined when it has none. */
export async function findUser({ client }: ConnectedService, user: MfaUser): Promise<User | undefined> {
  try {
    return await (user.id === undefined ? client.users.getByUsername(user.username ?? '') : client.users.get(user.id))
  } catch (error) {
    if (error instanceof ApiError && error.code === 'api.error.notfound.user') return undefined
    throw error
  }
}

/**
 * Creates the user and its membership where the service does not know the username yet. A known user is never added
 * again: an administrator may have taken it out of the domain.
 *
 * @returns whether the user was created, by us or by another node at the same moment.
 */
export async function provisionUser(service: ConnectedService, user: MfaUser): Promise<boolean> {
  const { username, name = username, email } = user
  if (username === undefined || name === undefined) return false
  if (email === undefined) throw new TypeError('mfa: provision needs an e-mail address: let user(req) give `email`')
  try {
    const created = await service.client.users.create({ username, name, email })
    await service.client.domains.addUser(service.domainId, created.id)
    return true
  } catch (error) {
    // Another node was first, and adds the membership.
    if (error instanceof ApiError && error.code === 'api.error.conflict.username') return true
    throw error
  }
}

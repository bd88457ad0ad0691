import { z } from 'zod'

import { endpoint } from './endpoint.ts'
import { Id, Random128, text, unlessNull } from './text.ts'

/** What a user can pass a second step with; `otp` is a hardware token or the authenticator's own code. */
export const Factor = z.enum(['push', 'otp', 'email', 'bypass'])
export type Factor = z.infer<typeof Factor>

export const Username = text(1, 128)
export const Name = text(1, 128)
export const Email = z.email().max(254)

/**
 * The epoch that the user gets by a change, so that the caller's own web session can know it beforehand: random, and
 * never used before. Without it the service draws one.
 */
export const NewEpoch = Random128.optional()

/** A user as 1.3 shows it. */
export const User13 = z.object({
  id: Id,
  username: z.string(),
  name: z.string(),
  email: z.string(),
  /** Ids of the domains the user belongs to. */
  domains: z.array(Id),
  /** Id of the user's hardware token; `""` while there is none. */
  hardware: z.union([Id, z.literal('')]),
  /** Ids of the user's bypass codes. */
  bypasscodes: z.array(Id),
})

/** A person or an account; belongs to any number of domains. */
export const User = User13.extend({
  /** What the user really has now; `email` where a domain of the user allows it. 1.4. */
  factors: z.array(Factor).optional(),
  /** Whether the user ever had a factor, in any domain; only an administrator resets it. 1.4. */
  everEnrolled: z.boolean().optional(),
  /** Web sessions verified under another one have ended: compare it for equality. 1.4. */
  epoch: z.string().optional(),
})
export type User = z.infer<typeof User>

export const NewUser = z.object({ username: Username, name: Name, email: Email })
export type NewUser = z.infer<typeof NewUser>

const CreatedUser = NewUser.extend({
  /** Without one the user has `""`, and no codes are e-mailed. Required in 1.3. */
  email: unlessNull(Email),
  /**
   * Added because somebody signed in to an app under this name: refused where the organization has a name that could be
   * mistaken for it, such as `alice` for `ALICE`. 1.4.
   */
  provision: z.boolean().optional(),
})
export type CreatedUser = z.infer<typeof CreatedUser>

const UserParams = z.object({ userId: Id })

export const createUser = endpoint({
  method: 'POST',
  path: '/users',
  summary: 'Adds a user to the organization.',
  body: CreatedUser,
  body13: NewUser,
  response: User,
  response13: User13,
  errors: [
    'api.error.invalid.username',
    'api.error.invalid.name',
    'api.error.invalid.email',
    'api.error.conflict.username',
    'api.error.conflict.similarusername',
  ],
})

/** Answers one user where `username` is given, a page of users otherwise. */
export const findUsers = endpoint({
  method: 'GET',
  path: '/users',
  summary: 'Finds the user of a username; without one, lists users, 100 a page.',
  query: z.object({ username: z.string().optional(), page: z.union([z.string(), z.number()]).optional() }),
  response: z.union([User, z.array(User)]),
  response13: z.union([User13, z.array(User13)]),
  role: 'auth',
  errors: ['api.error.notfound.user', 'api.error.invalid.page'],
})

export const getUser = endpoint({
  method: 'GET',
  path: '/users/:userId',
  summary: 'Reads a user.',
  params: UserParams,
  response: User,
  response13: User13,
  role: 'auth',
  errors: ['api.error.notfound.user'],
})

export const updateUser = endpoint({
  method: 'PUT',
  path: '/users/:userId',
  summary: 'Changes name or e-mail address; what is absent or null stays. A username never changes.',
  params: UserParams,
  body: z.object({ name: unlessNull(Name), email: unlessNull(Email), username: unlessNull(Username) }),
  response: User,
  response13: User13,
  errors: [
    'api.error.notfound.user',
    'api.error.invalid.username',
    'api.error.invalid.name',
    'api.error.invalid.email',
  ],
})

export const deleteUser = endpoint({
  method: 'DELETE',
  path: '/users/:userId',
  summary: 'Deletes a user, its memberships and its tokens.',
  params: UserParams,
  errors: ['api.error.notfound.user'],
})

export const endUserSessions = endpoint({
  method: 'POST',
  path: '/domains/:domainId/users/:userId/epoch',
  summary:
    'Gives a user another epoch: web sessions in which the second step was passed under another one end, in every domain.',
  params: z.object({ domainId: Id, userId: Id }),
  body: z.object({ epoch: NewEpoch }),
  response: z.object({ epoch: z.string() }),
  role: 'auth',
  since: '1.4',
  errors: ['api.error.notfound.domain', 'api.error.notfound.user'],
})

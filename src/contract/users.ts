import { z } from 'zod'

import { endpoint } from './endpoint.ts'
import { Id, text } from './text.ts'

/** What a user can pass a second step with; `otp` is a hardware token or the authenticator's own code. */
export const Factor = z.enum(['push', 'otp', 'email', 'bypass'])
export type Factor = z.infer<typeof Factor>

export const Username = text(1, 128)
export const Name = text(1, 128)
export const Email = z.email().max(254)

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
})
export type User = z.infer<typeof User>

export const NewUser = z.object({ username: Username, name: Name, email: Email })
export type NewUser = z.infer<typeof NewUser>

const UserParams = z.object({ userId: Id })

export const createUser = endpoint({
  method: 'POST',
  path: '/users',
  summary: 'Adds a user to the organization.',
  body: NewUser,
  response: User,
  response13: User13,
  errors: [
    'api.error.invalid.username',
    'api.error.invalid.name',
    'api.error.invalid.email',
    'api.error.conflict.username',
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
  summary: 'Changes name or e-mail address. A username never changes.',
  params: UserParams,
  body: z.object({ name: Name.optional(), email: Email.optional(), username: Username.optional() }),
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

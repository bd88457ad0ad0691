import { z } from 'zod'

import { endpoint } from './endpoint.ts'
import { Id } from './text.ts'
import { Factor } from './users.ts'

/** What a user changes: the device of the domain, an authenticator app, a hardware token, the recovery codes. */
export const ChangedFactor = z.enum(['device', 'app', 'hardware', 'codes'])
export type ChangedFactor = z.infer<typeof ChangedFactor>

/** What it takes to change a factor. */
export const ChangeRequirement = z.object({
  /** What the user can pass with for this change; empty where only an administrator can help. */
  factors: z.array(Factor),
  /** Whether the session in `pass` allows the change now. */
  passed: z.boolean(),
})
export type ChangeRequirement = z.infer<typeof ChangeRequirement>

/** Names the session, approved and redeemed for changing devices, that allows a change. */
export const ChangePass = z.object({ pass: Id })

export const getChangeRequirement = endpoint({
  method: 'GET',
  path: '/domains/:domainId/users/:userId/factors/requirement',
  summary: 'Says what a user can pass with to change a factor, and whether a session allows it.',
  params: z.object({ domainId: Id, userId: Id }),
  query: z.object({ changed: ChangedFactor.default('device'), pass: Id.optional() }),
  response: ChangeRequirement,
  role: 'auth',
  since: '1.4',
  errors: ['api.error.notfound.domain', 'api.error.notfound.user', 'api.error.invalid.pass'],
})

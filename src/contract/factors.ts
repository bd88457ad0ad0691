import { z } from 'zod'

import { endpoint } from './endpoint.ts'
import { RelyingPartyId } from './relying-party.ts'
import { Id } from './text.ts'
import { Factor } from './factor.ts'

/**
 * What a user changes: the device of the domain, an authenticator app, a hardware token, a passkey, the recovery codes, the
 * browsers that are kept.
 */
export const ChangedFactor = z.enum(['device', 'app', 'hardware', 'passkey', 'codes', 'browsers'])
export type ChangedFactor = z.infer<typeof ChangedFactor>

/** The requirements for changing a factor. */
export const ChangeRequirement = z.object({
  /** The factors that allow this change; empty where only an administrator can help. */
  factors: z.array(Factor),
  /** Whether the session in `pass` allows the change now. */
  passed: z.boolean(),
})
export type ChangeRequirement = z.infer<typeof ChangeRequirement>

/** The session that allows a change: approved and redeemed for changing devices. */
export const ChangePass = z.object({ pass: Id })

export const getChangeRequirement = endpoint({
  method: 'GET',
  path: '/domains/:domainId/users/:userId/factors/requirement',
  summary: 'Returns the factors that allow a user to change a factor, and whether a session allows it now.',
  query: z.object({
    changed: ChangedFactor.default('device'),
    pass: Id.optional(),
    /** Only passkeys for this relying party count; by default all do. */
    rpId: RelyingPartyId.optional(),
  }),
  response: ChangeRequirement,
  role: 'auth',
  since: '1.4',
  errors: ['api.error.invalid.pass', 'api.error.invalid.rpid'],
})

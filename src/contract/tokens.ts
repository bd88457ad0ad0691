import { z } from 'zod'

import { endpoint } from './endpoint.ts'
import { ChangePass } from './factors.ts'
import { RelyingPartyId } from './relying-party.ts'
import { Id, Seconds, strippedText } from './text.ts'
import { NewEpoch } from './users.ts'

/** Activation codes have 10 characters without look-alikes. Case, spaces and hyphens are ignored. */
export const activationCodeAlphabet = 'abcdefghjkmnpqrstuvwxyz23456789'
export const activationCodeLength = 10

/** An activation code as people type or paste it, normalized to the form in which it was issued. */
export const ActivationCode = z
  .string()
  .max(64)
  .transform((value) => value.replace(/[\s-]/g, '').toLowerCase())
  .pipe(z.string().regex(/^[a-hj-km-np-z2-9]{10}$/))

/** The name of a device, for its user and for administrators. */
export const DeviceName = strippedText(1, 64)

/** A token in 1.3. */
const Token13 = z.object({
  state: z.enum(['pending', 'active']),
  /** The activation code; only while pending. */
  code: z.string().optional(),
})

/** Binds a user to one device within one domain. */
export const Token = Token13.extend({
  /** The device with the name it gave itself; only while active, and not for keys of role `auth`. 1.4. */
  device: z
    .object({
      id: Id,
      name: z.string(),
      createdAt: Seconds,
      /** When its user last approved with it, or signed in with its code. Approvals are known for 90 days. */
      lastUsedAt: Seconds.optional(),
      /** Where the sign-in came from that was approved then, if the app knew it. */
      lastUsedPlace: z.string().optional(),
    })
    .optional(),
  /** A web page issued the code and shows it; absent where an administrator hands the code over. 1.4. */
  selfEnrollment: z.literal(true).optional(),
  /** When that code expires. 1.4. */
  expiresAt: Seconds.optional(),
  /** Another device may replace the current one, until this time. 1.4. */
  replacement: z.object({ expiresAt: Seconds }).optional(),
})
export type Token = z.infer<typeof Token>

/** The code that activates another device in place of the current one. */
export const Replacement = z.object({ code: z.string(), expiresAt: Seconds })
export type Replacement = z.infer<typeof Replacement>

export const issueToken = endpoint({
  method: 'PUT',
  path: '/domains/:domainId/users/:userId/token',
  summary: 'Issues a token; returns the present one while it is pending or active.',
  response: Token,
  response13: Token13,
  role: 'auth',
})

export const getToken = endpoint({
  method: 'GET',
  path: '/domains/:domainId/users/:userId/token',
  summary: 'Reads the token of a user in the domain.',
  response: Token,
  response13: Token13,
  role: 'auth',
  errors: ['api.error.notfound.token'],
})

export const renameDevice = endpoint({
  method: 'PUT',
  path: '/domains/:domainId/users/:userId/token/device',
  summary: 'Renames the device of the token.',
  body: z.object({ name: DeviceName }),
  since: '1.4',
  errors: ['api.error.notfound.token'],
})

export const revokeToken = endpoint({
  method: 'DELETE',
  path: '/domains/:domainId/users/:userId/token',
  summary: 'Revokes the token; its device can no longer answer.',
  errors: ['api.error.notfound.token'],
})

export const issueFirstToken = endpoint({
  method: 'PUT',
  path: '/domains/:domainId/users/:userId/token/first',
  summary:
    'Issues a token to a user who never had a factor; its code expires once the user has one. Returns no code where an administrator issued it.',
  response: Token,
  role: 'auth',
  since: '1.4',
  errors: ['api.error.conflict.enrolled'],
})

export const issueReplacement = endpoint({
  method: 'PUT',
  path: '/domains/:domainId/users/:userId/token/replacement',
  summary:
    'Issues a code for another device, or for a first one, valid for 15 minutes, or returns the present code; the old device stays until the code is used.',
  query: z.object({ epoch: NewEpoch }),
  /** The pass of the user; without it, an administrator hands the code over. */
  body: ChangePass.partial(),
  response: Replacement,
  since: '1.4',
  // `conflict.state`: a code that an administrator issued is still pending.
  errors: ['api.error.conflict.pass', 'api.error.conflict.state'],
})

export const giveUpFactor = endpoint({
  method: 'POST',
  path: '/domains/:domainId/users/:userId/factors/give-up',
  summary:
    'Removes the device or the hardware token of a user: never the last one of device, hardware token and passkeys.',
  body: ChangePass.extend({
    what: z.enum(['device', 'hardware']),
    epoch: NewEpoch,
    /** The relying party of the app: its passkeys count as what the user keeps. Without it, none does. */
    rpId: RelyingPartyId.optional(),
  }),
  since: '1.4',
  errors: [
    'api.error.notfound.token',
    'api.error.notfound.hardware',
    'api.error.conflict.pass',
    'api.error.conflict.state',
  ],
})

export const withdrawReplacement = endpoint({
  method: 'DELETE',
  path: '/domains/:domainId/users/:userId/token/replacement',
  summary:
    'Withdraws a code that a web page shows, for a first or another device; does nothing when there is none, or an administrator issued it.',
  since: '1.4',
})

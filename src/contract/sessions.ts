import { z } from 'zod'

import { endpoint } from './endpoint.ts'
import { Id, Random128, Seconds, strippedText } from './text.ts'
import { Factor, Username } from './users.ts'

export const SessionState = z.enum(['pending', 'approved', 'denied', 'expired', 'cancelled'])
export type SessionState = z.infer<typeof SessionState>

/** Why a session was not approved. */
export const SessionReason = z.enum([
  'user_denied',
  'reported',
  'wrong_number',
  'timeout',
  'cancelled',
  'push_failed',
  'wrong_code',
])
export type SessionReason = z.infer<typeof SessionReason>

/** One authentication request. What is optional here is 1.4. */
export const Session = z.object({
  id: Id,
  state: SessionState,
  reason: SessionReason.optional(),
  factor: Factor.optional(),
  /** What the person types on the device; while pending, where number matching was asked for. */
  number: z.string().optional(),
  createdAt: Seconds.optional(),
  expiresAt: Seconds.optional(),
  settledAt: Seconds.optional(),
  /** How many more codes may be tried now; only where a wrong one is answered that was tried for a challenge. */
  triesLeft: z.int().optional(),
})
export type Session = z.infer<typeof Session>

/** Exactly two members in this order: a client in C reads them by offset. Old clients know three states. */
export const Session13 = z.object({
  id: Id,
  state: SessionState.transform((state) => (state === 'expired' || state === 'cancelled' ? 'denied' : state)).pipe(
    z.enum(['pending', 'approved', 'denied']),
  ),
})

/** Shown on the device to help the person decide. */
export const Attribute = z.object({ key: strippedText(0, 64), value: strippedText(0, 256) })
export type Attribute = z.infer<typeof Attribute>

/** A one-time code; `""` and null mean that there is none. Blanks between groups of digits are dropped. */
const OptionalCode = z
  .union([z.string().max(64), z.null()])
  .optional()
  .transform((value) => value?.replace(/\s/g, '') || undefined)

const UserReference = z.union([
  z.object({ id: Id, username: z.undefined().optional() }),
  z.object({ username: Username, id: z.undefined().optional() }),
])

const NewSession13 = z.object({
  user: UserReference,
  attributes: z.array(Attribute).max(16).nullish(),
  otp: OptionalCode,
  bypasscode: OptionalCode,
  /** Where the sign-in comes from, as the caller saw it. */
  ipAddress: z
    .union([z.ipv4(), z.ipv6(), z.literal(''), z.null()])
    .optional()
    .transform((value) => value || undefined),
})

export const NewSession = NewSession13.extend({
  numberMatching: z.boolean().optional(),
  /** The challenge that alone can redeem the approval. */
  challenge: Random128.optional(),
})
export type NewSession = z.input<typeof NewSession>

const SessionParams = z.object({ domainId: Id, sessionId: Id })

export const createSession = endpoint({
  method: 'POST',
  path: '/domains/:domainId/sessions',
  summary: 'Asks a user: on the device, or by the code that is given. A code settles the session at once.',
  params: z.object({ domainId: Id }),
  body: NewSession,
  body13: NewSession13,
  response: Session,
  response13: Session13,
  role: 'auth',
  errors: [
    'api.error.notfound.domain',
    'api.error.notfound.user',
    'api.error.notfound.token',
    'api.error.invalid.user',
    'api.error.invalid.attributes',
    'api.error.invalid.otp',
    'api.error.invalid.bypasscode',
    'api.error.invalid.ipaddress',
    'api.error.invalid.numbermatching',
    'api.error.invalid.challenge',
    'api.error.locked',
    'api.error.limit.codes',
  ],
})

/** With `Prefer: wait=N` (RFC 7240 section 4.3) a pending session is held until it settles or N seconds passed. */
export const getSession = endpoint({
  method: 'GET',
  path: '/domains/:domainId/sessions/:sessionId',
  summary: 'Reads a session; settled ones for 24 hours.',
  held: true,
  params: SessionParams,
  response: Session,
  response13: Session13,
  role: 'auth',
  errors: ['api.error.notfound.domain', 'api.error.notfound.session'],
})

export const cancelSession = endpoint({
  method: 'DELETE',
  path: '/domains/:domainId/sessions/:sessionId',
  summary: 'Cancels a pending session; the device forgets it. Does nothing to a settled one.',
  params: SessionParams,
  role: 'auth',
  errors: ['api.error.notfound.domain', 'api.error.notfound.session'],
})

export const redeemSession = endpoint({
  method: 'POST',
  path: '/domains/:domainId/sessions/:sessionId/redeem',
  summary: 'Uses an approval up. Succeeds once, and only for the challenge the session was created with.',
  params: SessionParams,
  body: z.object({ challenge: Random128 }),
  response: Session,
  role: 'auth',
  errors: [
    'api.error.notfound.domain',
    'api.error.notfound.session',
    'api.error.invalid.challenge',
    'api.error.conflict.state',
  ],
  since: '1.4',
})

/** The longest a held read lasts, seconds. */
export const longestWait = 60

/** One event each time a session of the domain settles; what happened, a read of that session tells. */
export const watchSessions = endpoint({
  method: 'GET',
  path: '/domains/:domainId/sessions/events',
  summary: 'Streams the ids of sessions as they settle, so that one connection serves everybody who waits.',
  params: z.object({ domainId: Id }),
  media: 'text/event-stream',
  response: z.object({ id: Id }),
  role: 'auth',
  errors: ['api.error.notfound.domain'],
  since: '1.4',
})

export const sendEmailCode = endpoint({
  method: 'POST',
  path: '/domains/:domainId/users/:userId/otp',
  summary: "E-mails a one-time code to the user's address; the newest one counts.",
  params: z.object({ domainId: Id, userId: Id }),
  body: z.object({ deliverableOTPType: z.literal('EMAIL') }),
  role: 'auth',
  errors: [
    'api.error.notfound.domain',
    'api.error.notfound.user',
    'api.error.invalid.deliverableotptype',
    'api.error.conflict.emailotpenabled',
  ],
})

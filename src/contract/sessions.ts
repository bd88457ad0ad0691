import { z } from 'zod'

import { BrowserCookie, KnownBrowser, longestRemembered } from './browsers.ts'
import { endpoint } from './endpoint.ts'
import { parseIpAddress } from './ip-address.ts'
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

/**
 * What an approval is good for, and what the device says about it. Changing devices is the larger right: a pass for
 * signing in never counts as one for changing.
 */
export const SessionPurpose = z.enum(['sign_in', 'change_devices'])
export type SessionPurpose = z.infer<typeof SessionPurpose>

/** One authentication request. What is optional here is 1.4. */
export const Session = z.object({
  id: Id,
  state: SessionState,
  reason: SessionReason.optional(),
  factor: Factor.optional(),
  /** Once approved: the device, hardware token, authenticator app or bypass code it was; absent for e-mail. */
  factorId: Id.optional(),
  purpose: SessionPurpose.optional(),
  /** What the person types on the device; while pending, where number matching was asked for. */
  number: z.string().optional(),
  createdAt: Seconds.optional(),
  expiresAt: Seconds.optional(),
  settledAt: Seconds.optional(),
  /** How many more codes may be tried now; only where a wrong one is answered that was tried for a challenge. */
  triesLeft: z.int().optional(),
  /** The user's epoch at this moment; only where the approval is redeemed. */
  epoch: z.string().optional(),
})
export type Session = z.infer<typeof Session>

/** Exactly two members in this order: a client in C reads them by offset. Old clients know three states. */
export const Session13 = z.object({
  id: Id,
  state: SessionState.transform((state) => (state === 'expired' || state === 'cancelled' ? 'denied' : state)).pipe(
    z.enum(['pending', 'approved', 'denied']),
  ),
})

/** How many attributes a device shows, and how long they are, characters. */
export const attributeLimits = Object.freeze({ count: 16, key: 64, value: 256 })

/** Shown on the device to help the person decide. */
export const Attribute = z.object({
  key: strippedText(0, attributeLimits.key),
  value: strippedText(0, attributeLimits.value),
})
export type Attribute = z.infer<typeof Attribute>

/** As callers send it: attributes are information, and text that is too long fails no sign-in. */
const NewAttribute = z.object({
  key: z.string().meta({ description: `Shortened to ${attributeLimits.key} characters.` }),
  value: z.string().meta({ description: `Shortened to ${attributeLimits.value} characters.` }),
})

/** `""` and null mean that there is no code. Blanks between groups of digits are dropped. */
const readCode = (value: string | null | undefined) => value?.replace(/\s/g, '') || undefined

const BypassCode = z
  .union([z.string().max(64), z.null()])
  .optional()
  .transform((value) => readCode(value))

/** Some clients send a number. That is a code only where it has all its digits: numbers have no leading zeros. */
const OneTimePassword = z
  .union([z.string().max(64), z.int(), z.null()])
  .optional()
  .refine((value) => typeof value !== 'number' || /^(\d{6}|\d{8})$/.test(String(value)), {
    message: 'must be a string: a number has no leading zeros',
  })
  .transform((value) => readCode(typeof value === 'number' ? String(value) : value))

const UserReference = z.union([
  z.object({ id: Id, username: z.undefined().optional() }),
  z.object({ username: Username, id: z.undefined().optional() }),
])

const NewSession13 = z.object({
  user: UserReference,
  attributes: z
    .array(NewAttribute)
    .nullish()
    .meta({ description: `${attributeLimits.count} are shown.` }),
  otp: OneTimePassword,
  bypasscode: BypassCode,
  /** Where the sign-in comes from, as the caller saw it. Information: null for text that is not an address. */
  ipAddress: z
    .union([z.string(), z.null()])
    .optional()
    .meta({ description: 'An IPv4 or IPv6 address, with or without a port. Anything else is ignored.' })
    .transform((value) => (value ? (parseIpAddress(value) ?? null) : undefined)),
})

export const NewSession = NewSession13.extend({
  numberMatching: z.boolean().optional(),
  /** The challenge that alone can redeem the approval. */
  challenge: Random128.optional(),
  /** What the approval is to be good for; the device shows it. */
  purpose: SessionPurpose.optional(),
  /** The id of the browser that asks, as its cookie holds it; a known browser of the user has limits of its own. */
  browser: BrowserCookie,
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
    'api.error.invalid.purpose',
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

/** `browser` for its cookie, where it is known from now on. */
export const RedeemedSession = Session.extend({ browser: KnownBrowser.optional() })
export type RedeemedSession = z.infer<typeof RedeemedSession>

export const redeemSession = endpoint({
  method: 'POST',
  path: '/domains/:domainId/sessions/:sessionId/redeem',
  summary: 'Uses an approval up. Succeeds once, and only for the challenge the session was created with.',
  params: SessionParams,
  body: z.object({
    challenge: Random128,
    /** The browser in which the user passes. It becomes known, unless the factor was an e-mailed code. */
    browser: z
      .object({
        /** As its cookie holds it now. */
        id: BrowserCookie,
        /** For how many days the person wants not to be asked again in it. */
        rememberDays: z.int().min(1).max(longestRemembered).optional(),
      })
      .optional(),
  }),
  response: RedeemedSession,
  role: 'auth',
  errors: [
    'api.error.notfound.domain',
    'api.error.notfound.session',
    'api.error.invalid.challenge',
    'api.error.conflict.state',
  ],
  since: '1.4',
})

/** The browser in which somebody passes. */
export type PassedBrowser = NonNullable<z.input<typeof redeemSession.body>['browser']>

/** The longest a held read lasts, seconds. */
export const longestWait = 60

/** That a session settled, or that a user's epoch changed. */
export const SessionEvent = z.union([z.object({ id: Id }), z.object({ user: Id, changed: z.literal('epoch') })])
export type SessionEvent = z.infer<typeof SessionEvent>

/**
 * One event each time a session of the domain settles, and each time a user of the domain gets another epoch; what it is
 * now, a read of the session or the user tells.
 */
export const watchSessions = endpoint({
  method: 'GET',
  path: '/domains/:domainId/sessions/events',
  summary: 'Streams the ids of sessions as they settle, and of users as their epochs change: one connection for all.',
  params: z.object({ domainId: Id }),
  media: 'text/event-stream',
  response: SessionEvent,
  role: 'auth',
  errors: ['api.error.notfound.domain'],
  since: '1.4',
})

/** How long a mail server may take, seconds; then it is answered that it did not take the e-mail. */
export const mailTimeout = 8

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
    // 1.3 callers are answered api.error.unavailable.
    'api.error.unavailable.mail',
  ],
})

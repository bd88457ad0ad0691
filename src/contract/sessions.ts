import { z } from 'zod'

import { BrowserKey, BrowserProof, UnknownBrowser } from './browser-key.ts'
import { BrowserCookie, BrowserName, BrowserPlace, KnownBrowser, maxRememberDays } from './browsers.ts'
import { endpoint } from './endpoint.ts'
import { sendingErrors } from './errors.ts'
import { sentFactors } from './factor-descriptions.ts'
import type { SentFactor } from './factor-descriptions.ts'
import { ImportedFactors } from './imported-factors.ts'
import { parseIpAddress } from './ip-address.ts'
import { RequestedPhishingResistance } from './phishing-resistance.ts'
import { RelyingPartyId } from './relying-party.ts'
import { Attribute, attributeLimits, SessionPurpose, SessionReason, SessionState } from './session-facts.ts'
import { Id, optionalField, Random128, Seconds } from './text.ts'
import { UserReference } from './user-reference.ts'
import { Language } from './users.ts'
import { Factor } from './factor.ts'
import { AuthenticationResponse } from './webauthn.ts'

// Apart, because a device needs no more than these of sessions.
export * from './session-facts.ts'

/** One authentication request. Optional members exist only in 1.4. */
export const Session = z.object({
  id: Id,
  state: SessionState,
  reason: SessionReason.optional(),
  factor: Factor.optional(),
  /** Once approved, the id of the device, hardware token, authenticator app, passkey or bypass code; absent for e-mail. */
  factorId: Id.optional(),
  /** The passkey's authenticator has verified the person, by a PIN or biometrics; else it only showed that it is there. */
  userVerified: z.literal(true).optional(),
  purpose: SessionPurpose.optional(),
  /** The number to type on the device; only while pending, with number matching. */
  number: z.string().optional(),
  /** Can be scanned in place of the number, as `sf1:<id>:<scanSecret>`; only in the answer that creates the session. */
  scanSecret: Random128.optional(),
  /** The name of the device that is asked; only in the answer that creates the session, and not for keys of role `auth`. */
  deviceName: z.string().optional(),
  createdAt: Seconds.optional(),
  expiresAt: Seconds.optional(),
  settledAt: Seconds.optional(),
  /** The person chose on the device to keep the browser: it is kept if its key is sent when the approval is redeemed. */
  keepBrowser: z.literal(true).optional(),
  /** The request came from a browser that the user keeps: it has shown its key. */
  fromKeptBrowser: z.literal(true).optional(),
  /** How many more codes may be tried; only after a wrong code for a challenge. */
  triesLeft: z.int().optional(),
  /** How long codes are locked, seconds: now with no try left, and after one more wrong code with one left. */
  lockedFor: z.int().optional(),
  /** The user's present epoch; only when the approval is redeemed. */
  epoch: z.string().optional(),
})
export type Session = z.infer<typeof Session>

/** Exactly two members in this order, as a client in C reads them by offset. Old clients know only three states. */
export const Session13 = z.object({
  id: Id,
  state: SessionState.transform((state) => (state === 'expired' || state === 'cancelled' ? 'denied' : state)).pipe(
    z.enum(['pending', 'approved', 'denied']),
  ),
})

/** Attributes in a request: too long a text is shortened, so that it does not fail a sign-in. */
const NewAttribute = z.object({
  key: z.string().meta({ description: `Shortened to ${attributeLimits.key} characters.` }),
  value: z.string().meta({ description: `Shortened to ${attributeLimits.value} characters.` }),
})

/** `""` and null mean no code. Spaces between groups of digits are removed. */
const readCode = (value: string | null | undefined) => value?.replace(/\s/g, '') || undefined

const BypassCode = z
  .union([z.string().max(64), z.null()])
  .optional()
  .transform((value) => readCode(value))

/** Some clients send a number. It is accepted only with all its digits, as a number has no leading zeros. */
const OneTimePassword = z
  .union([z.string().max(64), z.int(), z.null()])
  .optional()
  .refine((value) => typeof value !== 'number' || /^\d{6,8}$/.test(String(value)), {
    message: 'must be a string: a number has no leading zeros',
  })
  .transform((value) => readCode(typeof value === 'number' ? String(value) : value))

/** The address of the sign-in, as the caller saw it. For information only: null for text that is not an address. */
export const SignInAddress = z
  .union([z.string(), z.null()])
  .optional()
  .meta({ description: 'An IPv4 or IPv6 address, with or without a port. Anything else is ignored.' })
  .transform((value) => (value ? (parseIpAddress(value) ?? null) : undefined))

const NewSession13 = z.object({
  user: UserReference,
  attributes: z
    .array(NewAttribute)
    .nullish()
    .meta({ description: `${attributeLimits.count} are shown.` }),
  otp: OneTimePassword,
  bypasscode: BypassCode,
  ipAddress: SignInAddress,
})

/** The browser in which the user signs in. It becomes a known browser, unless the factor was an e-mailed code. */
const SigningInBrowser = z.object({
  /** The current value of its cookie. */
  id: BrowserCookie,
  /** How many days the person chose to skip the second step in it. */
  rememberDays: z.int().min(1).max(maxRememberDays).optional(),
  /** The name in the list of the user's browsers. */
  name: BrowserName,
  place: BrowserPlace,
  /** Kept after a passkey, or if the person chose so on the device. Otherwise it is ignored. */
  publicKey: optionalField(BrowserKey),
})
export type PassedBrowser = z.input<typeof SigningInBrowser>

/** The id has at least 128 bits, base64url: nobody can guess another browser's. */
const BrowserBinding = z.string().regex(/^[\w-]{22,86}$/)

const RequestedSession = NewSession13.extend({
  numberMatching: z.boolean().optional(),
  /** Only this challenge can redeem the approval. */
  challenge: Random128.optional(),
  /** The purpose that the approval will allow; the device shows it. */
  purpose: SessionPurpose.optional(),
  /** The id of the browser, from its cookie. Requests from a known browser of the user have their own limits. */
  browser: BrowserCookie,
  /** Shows that the request comes from the kept browser that `browser` names. */
  browserProof: optionalField(BrowserProof),
  /** The app's requirement for browsers without such a proof. */
  unknownBrowser: UnknownBrowser.optional(),
  /**
   * The browser as the app knows it, such as the hash of a cookie. A request to a device cancels a pending one of the same user, domain
   * and binding.
   */
  binding: BrowserBinding.optional(),
  /** The device was set up in this challenge: its first request says nothing about the browser. */
  enrolling: z.boolean().optional(),
  /** The app's own requirement; the stricter of this and the policy of the domain applies. */
  phishingResistant: RequestedPhishingResistance.optional(),
  /** The relying party of the app: only its passkeys count for `prefer`. By default, those for any app do. */
  rpId: RelyingPartyId.optional(),
  /** The answer to `startPasskeyAuthentication`, of the same challenge and purpose. */
  passkey: optionalField(AuthenticationResponse),
  /** Redeems the approval of a correct code or passkey in the same call, which then returns what redeeming it returns. */
  redeem: z.object({ browser: SigningInBrowser.optional() }).optional(),
})

export const NewSession = RequestedSession.refine(
  ({ redeem, challenge, otp, bypasscode, passkey }) => !redeem || (challenge && (otp ?? bypasscode ?? passkey)),
  {
    path: ['redeem'],
    message: 'is only possible with a challenge and a code or a passkey',
  },
).refine(({ passkey, challenge, otp, bypasscode }) => !passkey || (challenge && !(otp ?? bypasscode)), {
  path: ['passkey'],
  message: 'is only possible with a challenge and without a code',
})
export type NewSession = z.input<typeof NewSession>

/** A session with a code of factors that another system made. It asks no device, and only signs in. */
export const ImportingSession = RequestedSession.omit({
  numberMatching: true,
  purpose: true,
  binding: true,
  enrolling: true,
  passkey: true,
})
  .extend({
    /** What the app's own store has for this user. It is stored if the code is correct, and otherwise forgotten. */
    factors: ImportedFactors,
  })
  .refine(({ otp, bypasscode }) => (otp ?? bypasscode) !== undefined, { path: ['otp'], message: 'is missing' })
  .refine(({ redeem, challenge }) => !redeem || challenge, {
    path: ['redeem'],
    message: 'is only possible with a challenge',
  })
export type ImportingSession = z.input<typeof ImportingSession>

/** `browser` is for the cookie of a browser that is known from now on. */
export const RedeemedSession = Session.extend({ browser: KnownBrowser.optional() })
export type RedeemedSession = z.infer<typeof RedeemedSession>

export const createSession = endpoint({
  method: 'POST',
  path: '/domains/:domainId/sessions',
  repeatable: true,
  summary:
    'Starts an authentication request: on the device, or with a code or a passkey, which settles the session at once.',
  body: NewSession,
  body13: NewSession13,
  response: RedeemedSession,
  response13: Session13,
  role: 'auth',
  errors: [
    'api.error.notfound.user',
    'api.error.notfound.token',
    'api.error.locked',
    'api.error.limit.codes',
    'api.error.unavailable.passkeys',
  ],
})

/**
 * The first sign-in of a user who brings an authenticator app from another system: a correct code of it, or one of the recovery codes,
 * stores all of them. A wrong one counts like every wrong code. Only for users who never had a factor, while `importState` is `open`;
 * later calls check the code as `POST /domains/{domainId}/sessions` does.
 */
export const importSession = endpoint({
  method: 'POST',
  path: '/domains/:domainId/sessions/import',
  repeatable: true,
  summary: "Signs a user in with a first code of another system's authenticator app, and stores the app.",
  body: ImportingSession,
  response: RedeemedSession,
  role: 'auth',
  errors: [
    'api.error.notfound.user',
    'api.error.locked',
    'api.error.limit.codes',
    'api.error.conflict.enrolled',
    'api.error.conflict.state',
  ],
  since: '1.4',
})

/** With `Prefer: wait=N` (RFC 7240 section 4.3) the response is held until the session settles or N seconds pass. */
export const getSession = endpoint({
  method: 'GET',
  path: '/domains/:domainId/sessions/:sessionId',
  summary: 'Reads a session; until 24 hours after it settled.',
  held: true,
  response: Session,
  response13: Session13,
  role: 'auth',
})

/** A request that waits for an answer of the device. Its number and its challenge stay with the caller that created it. */
export const PendingSession = z.object({
  id: Id,
  purpose: SessionPurpose,
  /** As the device shows them. */
  attributes: z.array(Attribute),
  createdAt: Seconds,
  expiresAt: Seconds,
})
export type PendingSession = z.infer<typeof PendingSession>

export const listPendingSessions = endpoint({
  method: 'GET',
  path: '/domains/:domainId/users/:userId/sessions',
  summary: 'Lists the pending sessions of a user in the domain, newest first.',
  response: z.array(PendingSession),
  role: 'auth',
  since: '1.4',
})

export const cancelSession = endpoint({
  method: 'DELETE',
  path: '/domains/:domainId/sessions/:sessionId',
  summary: 'Cancels a pending session, also on the device. Does nothing to a settled one.',
  role: 'auth',
})

export const redeemSession = endpoint({
  method: 'POST',
  path: '/domains/:domainId/sessions/:sessionId/redeem',
  repeatable: true,
  summary: 'Redeems an approval. Succeeds once, and only with the challenge of the session.',
  body: z.object({
    challenge: Random128,
    browser: SigningInBrowser.optional(),
    /** The app's requirement: an approval that was created under less counts only if it is that of a passkey. */
    phishingResistant: RequestedPhishingResistance.optional(),
    /** The same for browsers: an approval from one that is not kept counts only if the app allows it now. */
    unknownBrowser: UnknownBrowser.optional(),
  }),
  response: RedeemedSession,
  role: 'auth',
  errors: ['api.error.conflict.state'],
  since: '1.4',
})

/** How long a read can be held, seconds. */
export const maxWait = 60

/** A session settled, or the epoch of a user changed. */
export const SessionEvent = z.union([z.object({ id: Id }), z.object({ user: Id, changed: z.literal('epoch') })])
export type SessionEvent = z.infer<typeof SessionEvent>

/**
 * One event each time a session of the domain settles, and each time the epoch of a user of the domain changes. To learn the
 * new state or epoch, read the session or the user.
 */
export const watchSessions = endpoint({
  method: 'GET',
  path: '/domains/:domainId/sessions/events',
  summary:
    'Streams the ids of sessions that settle, and of users whose epochs change: one connection for a whole domain.',
  media: 'text/event-stream',
  response: SessionEvent,
  role: 'auth',
  since: '1.4',
})

/** How long a mail server may take, seconds; after that the call fails. */
export const mailTimeout = 8

const SendEmailCode13 = z.object({ deliverableOTPType: z.literal('EMAIL') })

export type DeliverableType = Uppercase<SentFactor>

/** A factor as `deliverableOTPType` names it. */
export const deliverableType = (factor: SentFactor) => factor.toUpperCase() as DeliverableType

export const sendEmailCode = endpoint({
  method: 'POST',
  path: '/domains/:domainId/users/:userId/otp',
  repeatable: true,
  summary: 'Sends a one-time code to the user; the newest one counts.',
  body: z.object({
    deliverableOTPType: z.literal(sentFactors.map(deliverableType)),
    /** The language of this message alone; the default is that of the user. 1.4. */
    language: optionalField(Language),
  }),
  body13: SendEmailCode13,
  role: 'auth',
  // 1.3 callers get api.error.unavailable in place of `failed`.
  errors: sentFactors.flatMap((factor) => [sendingErrors[factor].disabled, sendingErrors[factor].failed]),
})

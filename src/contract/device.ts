/**
 * The messages between a device and the service. Every POST but the preview is one compact JWS (RFC 7515, ES256,
 * `application/jose`) whose payload is the content; GETs carry the JWS as `Authorization: Device <jws>`.
 */
import { z } from 'zod'

import { Domain13 } from './domains.ts'
import { ErrorBody } from './errors.ts'
import { Pin } from './pin.ts'
import { Attribute, SessionPurpose, SessionReason, SessionState } from './sessions.ts'
import { Id, Random128, Seconds, strippedText } from './text.ts'
import { ActivationCode } from './tokens.ts'

/** Paths below the service's public address. Their `path` claim is written as here, whatever prefix a proxy adds. */
export const devicePaths = Object.freeze({
  preview: '/device/preview',
  activate: '/device/activate',
  requests: '/device/requests',
  answer: (sessionId: string) => `/device/requests/${sessionId}/answer`,
  remove: '/device/remove',
  /** GET says where the service sends to, POST sets it. */
  push: '/device/push',
  history: '/device/history',
  /** Takes a notice off the inbox. */
  acknowledge: (noticeId: string) => `/device/notices/${noticeId}/acknowledge`,
  /** For everybody: a PNG, one invisible pixel where the domain has no image of its own. Not signed, as `<img>` reads it. */
  image: (domainId: string) => `/device/images/${domainId}`,
})

/** How far a device's clock may be off, seconds; beyond it the device learns the difference from `Date`. */
export const clockTolerance = 60

/** EC public key on P-256 (RFC 7518 section 6.2). */
export const PublicKey = z.object({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
  y: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
})
export type PublicKey = z.infer<typeof PublicKey>

/** What every signed call carries. */
export const Claims = z.object({
  /** The service's id, learnt from the preview. */
  aud: Id,
  /** The device's id; absent while activating. */
  sub: Id.optional(),
  htm: z.enum(['GET', 'POST']),
  path: z.string(),
  iat: Seconds,
  jti: Random128,
})
export type Claims = z.infer<typeof Claims>

const DeviceDomain = z.object({ id: Id, name: z.string(), keyType: Domain13.shape.keyType })

/** The service's key for Web Push (RFC 8292), as `pushManager.subscribe` takes it: an uncompressed point, base64url. */
const PushKey = z.string().regex(/^[A-Za-z0-9_-]{87}$/)

/** Where a push service takes messages for a device, as `PushSubscription.toJSON()` has it. */
export const PushSubscription = z.object({
  endpoint: z.string().max(2048),
  keys: z.object({
    /** An uncompressed point on P-256, and 16 bytes (RFC 8291 section 2). */
    p256dh: z.string().regex(/^B[A-Za-z0-9_-]{86}$/),
    auth: z.string().regex(/^[A-Za-z0-9_-]{22}$/),
  }),
})
export type PushSubscription = z.infer<typeof PushSubscription>

/** All that goes through push services: which session or notice there is, to be read from the inbox. */
export const PushMessage = z.union([z.object({ session: Id }), z.object({ notice: Id })])
export type PushMessage = z.infer<typeof PushMessage>

export const PreviewRequest = z.object({ code: ActivationCode })

/** What a code would join, shown before joining. */
export const Preview = z.object({
  service: Id,
  organization: z.object({ name: z.string() }),
  domain: DeviceDomain,
  user: z.object({ username: z.string() }),
  /** Absent where the service sends no push messages. */
  pushKey: PushKey.optional(),
})
export type Preview = z.infer<typeof Preview>

export const ActivateRequest = z.object({
  code: ActivationCode,
  /** What its owner calls the device, such as "Firefox on Android". */
  name: strippedText(1, 64),
  /** Signs this very call, and every later one. */
  key: PublicKey,
  /** What the domain's key type asks for; `pinProblem` says beforehand whether it will do. */
  pin: Pin.optional(),
  /** Does not stand against joining: one the service does not send to is left out. */
  push: PushSubscription.optional(),
})
export type ActivateRequest = z.input<typeof ActivateRequest>

export const Activated = z.object({
  device: Id,
  service: Id,
  organization: z.object({ name: z.string() }),
  domain: DeviceDomain,
  user: z.object({ username: z.string() }),
  pushKey: PushKey.optional(),
  /** Whether requests are pushed to the subscription that was given. */
  push: z.boolean(),
  /** What the device makes codes from without a connection (RFC 6238, SHA-1); the secret is base32. */
  codes: z.object({ secret: z.string(), digits: z.literal(6), period: z.literal(30) }),
})
export type Activated = z.infer<typeof Activated>

/** One pending session, as its device sees it. The number is never in it. */
export const DeviceRequest = z.object({
  id: Id,
  nonce: Random128,
  domain: z.object({ id: Id, name: z.string() }),
  user: z.object({ username: z.string() }),
  attributes: z.array(Attribute),
  ipAddress: z.string().optional(),
  /** How many digits to type; 0 where no number is asked for. */
  numberLength: z.int(),
  /** What an approval is good for; absent where that is signing in. */
  purpose: SessionPurpose.optional(),
  createdAt: Seconds,
  expiresAt: Seconds,
})
export type DeviceRequest = z.infer<typeof DeviceRequest>

/** How many notices a device has at most, and how long they are kept, seconds. */
export const maxNotices = 20
export const noticesKept = 30 * 24 * 60 * 60

/** What changed of what a user passes the second step with. Authenticator apps, hardware tokens and codes are valid in every domain. */
export const FactorChangeKind = z.enum([
  'device_added',
  'device_replaced',
  'device_removed',
  'app_added',
  'app_replaced',
  'app_removed',
  'hardware_added',
  'hardware_removed',
  'codes_made',
  'codes_removed',
])
export type FactorChangeKind = z.infer<typeof FactorChangeKind>

/** A change of the user's factors, for a device to show until the person has read it. */
export const FactorNotice = z.object({
  id: Id,
  /** Where it changed. */
  domain: z.object({ id: Id, name: z.string() }),
  kind: FactorChangeKind,
  createdAt: Seconds,
})
export type FactorNotice = z.infer<typeof FactorNotice>

/** Always all that is pending, newest first. Held by `Prefer: wait=N` while it is what `If-None-Match` names. */
export const Inbox = z.object({
  requests: z.array(DeviceRequest),
  /** Absent where there are none. */
  notices: z.array(FactorNotice).optional(),
})
export type Inbox = z.infer<typeof Inbox>

export const Decision = z.enum(['approve', 'deny', 'report'])
export type Decision = z.infer<typeof Decision>

export const AnswerRequest = z.object({
  nonce: Random128,
  decision: Decision,
  /** What the person typed; approvals with number matching only. */
  number: z.string().max(12).optional(),
  /** Approvals in domains with a PIN or passcode only. A wrong one leaves the request as it is. */
  pin: Pin.optional(),
  /** Names the try of a PIN: when the answer to it is lost and it is sent again, it counts once. */
  attempt: Random128.optional(),
})
export type AnswerRequest = z.input<typeof AnswerRequest>

export const Answered = z.object({ id: Id, state: SessionState, reason: SessionReason.optional() })
export type Answered = z.infer<typeof Answered>

/** Sets, renews or, with null, forgets where the service sends push messages. */
export const PushRequest = z.object({ push: PushSubscription.nullable() })
export type PushRequest = z.infer<typeof PushRequest>

/** What the service knows: a device whose own subscription is another one, or made with another key, sets it anew. */
export const PushState = z.object({
  pushKey: PushKey.optional(),
  /** Absent where it sends to nobody, be it because the push service said that the subscription is gone. */
  endpoint: z.string().optional(),
})
export type PushState = z.infer<typeof PushState>

/** How many answers a page of the history has, and how long they are kept, seconds. */
export const historyPage = 50
export const historyKept = 90 * 24 * 60 * 60

/** Part of the signed payload, so that no query has to be signed beside it. */
export const HistoryRequest = z.object({
  /** The last entry that is known; only older ones are answered. */
  before: Id.optional(),
})
export type HistoryRequest = z.infer<typeof HistoryRequest>

/** One answer this device gave. */
export const HistoryEntry = z.object({
  /** Of the session. */
  id: Id,
  domain: z.object({ id: Id, name: z.string() }),
  user: z.object({ username: z.string() }),
  attributes: z.array(Attribute),
  ipAddress: z.string().optional(),
  state: z.enum(['approved', 'denied']),
  reason: SessionReason.optional(),
  /** What it was about; absent where that was signing in. */
  purpose: SessionPurpose.optional(),
  createdAt: Seconds,
  settledAt: Seconds,
})
export type HistoryEntry = z.infer<typeof HistoryEntry>

/** Newest first. */
export const History = z.object({
  entries: z.array(HistoryEntry),
  /** Whether there are older ones. */
  more: z.boolean(),
})
export type History = z.infer<typeof History>

/** A no to a device. After a wrong PIN it says how often another one may be tried; then the token is revoked. */
export const DeviceErrorBody = z.object({
  errors: z.array(ErrorBody.shape.errors.element.extend({ triesLeft: z.int().optional() })),
})
export type DeviceErrorBody = z.infer<typeof DeviceErrorBody>

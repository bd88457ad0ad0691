/**
 * The messages between a device and the service. Every POST except the preview is one compact JWS (RFC 7515, ES256,
 * `application/jose`) whose payload is the content; GETs carry the JWS as `Authorization: Device <jws>`.
 */
import { z } from 'zod'

import { Domain13 } from './domains.ts'
import { ErrorBody } from './errors.ts'
import { CallEntry, PhoneCall } from './phone-calls.ts'
import { Pin } from './pin.ts'
import { Attribute, SessionPurpose, SessionReason, SessionState } from './session-facts.ts'
import { Id, Random128, Seconds } from './text.ts'
import { ActivationCode, DeviceName } from './tokens.ts'

/** Paths below the service's public address. Their `path` claim is written as here, whatever prefix a proxy adds. */
export const devicePaths = Object.freeze({
  preview: '/device/preview',
  activate: '/device/activate',
  requests: '/device/requests',
  answer: (sessionId: string) => `/device/requests/${sessionId}/answer`,
  scan: (sessionId: string) => `/device/requests/${sessionId}/scan`,
  /** Of the help desk's questions, which are no sessions. */
  answerCall: (callId: string) => `/device/calls/${callId}/answer`,
  remove: '/device/remove',
  /** GET reads where the service sends push messages, POST sets it. */
  push: '/device/push',
  history: '/device/history',
  /** Sends one push message to the device that asks. */
  testPush: '/device/push/test',
  /** POST begins a move to another device, GET reads how far it is. */
  move: '/device/move',
  confirmMove: '/device/move/confirm',
  cancelMove: '/device/move/cancel',
  /** By the new device, before and after the old one has confirmed. */
  claimMove: '/device/move/claim',
  collectMove: '/device/move/collect',
  /** Removes a notice from the inbox. */
  acknowledge: (noticeId: string) => `/device/notices/${noticeId}/acknowledge`,
  /** Public: a PNG, which is one transparent pixel where the domain has no image. Not signed, as an `<img>` loads it. */
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

/** The claims of every signed call. */
export const Claims = z.object({
  /** The service's id, from the preview. */
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

/** Where a push service accepts messages for a device, as `PushSubscription.toJSON()` returns it. */
export const PushSubscription = z.object({
  endpoint: z.string().max(2048),
  keys: z.object({
    /** An uncompressed point on P-256, and 16 bytes (RFC 8291 section 2). */
    p256dh: z.string().regex(/^B[A-Za-z0-9_-]{86}$/),
    auth: z.string().regex(/^[A-Za-z0-9_-]{22}$/),
  }),
})
export type PushSubscription = z.infer<typeof PushSubscription>

/**
 * All that push services get to see: the id of a session, a notice or a phone call, which the device reads from the inbox, or
 * of a test, which is no session and signs nobody in.
 */
export const PushMessage = z.union([
  z.object({ session: Id }),
  z.object({ notice: Id }),
  z.object({ test: Id }),
  z.object({ call: Id }),
])
export type PushMessage = z.infer<typeof PushMessage>

/** The code of a move: random, as it is never typed. */
export const MoveCode = Random128

export const PreviewRequest = z.object({ code: z.union([ActivationCode, MoveCode]) })

/** The account that a code would add, shown before it is added. */
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
  /** The owner's name for the device, such as "Firefox on Android". */
  name: DeviceName,
  /** Signs this very call, and every later one. */
  key: PublicKey,
  /** The PIN or passcode that the domain requires; `pinProblem` checks it beforehand. */
  pin: Pin.optional(),
  /** A subscription that the service does not accept is ignored: the device is activated without it. */
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
  /** Whether the service accepted the subscription. */
  push: z.boolean(),
  /** For codes without a connection (RFC 6238, SHA-1); the secret is base32. */
  codes: z.object({ secret: z.string(), digits: z.literal(6), period: z.literal(30) }),
})
export type Activated = z.infer<typeof Activated>

/** How long the code of a move is shown, how long the old device may confirm, and the new one get its account; seconds. */
export const moveLifetimes = Object.freeze({ code: 30, claim: 2 * 60, account: 10 * 60 })

export const MoveRequest = z.object({
  /** The PIN or passcode that the domain requires. */
  pin: Pin.optional(),
})
export type MoveRequest = z.input<typeof MoveRequest>

/** For one new device. A new one replaces it. */
export const Move = z.object({ code: MoveCode, expiresAt: Seconds })
export type Move = z.infer<typeof Move>

/** What the old device shows before it confirms. */
export const MoveClaim = z.object({
  /** The id that the new device will have. */
  device: Id,
  name: z.string(),
  /** Whether the person asked for the account on the new device. */
  requested: z.boolean(),
  expiresAt: Seconds,
})
export type MoveClaim = z.infer<typeof MoveClaim>

/** Without a claim, no device has used the code, or its claim is over. */
export const MoveState = z.object({ claim: MoveClaim.optional() })

export const ClaimMoveRequest = z.object({
  code: MoveCode,
  /** Which the old device shows. */
  name: DeviceName,
  /** Signs this very call, and every later one. */
  key: PublicKey,
})
export type ClaimMoveRequest = z.input<typeof ClaimMoveRequest>

export const MoveClaimed = z.object({ device: Id, expiresAt: Seconds })
export type MoveClaimed = z.infer<typeof MoveClaimed>

/** Names the device that the old one has shown. */
export const ConfirmMoveRequest = z.object({ device: Id })

export const CollectMoveRequest = z.object({
  /** The PIN or passcode of the account, which is only checked once it has moved. */
  pin: Pin.optional(),
  /** Gives up, unless the account has moved already. */
  cancel: z.boolean().optional(),
})
export type CollectMoveRequest = z.input<typeof CollectMoveRequest>

/** Without an account, the old device has not confirmed yet. */
export const MoveCollected = z.object({ account: Activated.optional() })

/** One pending session, as its device sees it; without the number. */
export const DeviceRequest = z.object({
  id: Id,
  nonce: Random128,
  domain: z.object({ id: Id, name: z.string() }),
  user: z.object({ username: z.string() }),
  attributes: z.array(Attribute),
  ipAddress: z.string().optional(),
  /** How many digits to type; 0 where no number is asked for. */
  numberLength: z.int(),
  /** What an approval allows; absent for signing in. */
  purpose: SessionPurpose.optional(),
  /** The browser is not one that the person keeps. An approval can keep it. */
  newBrowser: z.literal(true).optional(),
  createdAt: Seconds,
  expiresAt: Seconds,
})
export type DeviceRequest = z.infer<typeof DeviceRequest>

/** The most notices that a device has, and how long they are kept, seconds. */
export const maxNotices = 20
export const noticeRetention = 30 * 24 * 60 * 60

/** How a user's factors changed. Authenticator apps, hardware tokens and codes are valid in every domain. */
export const FactorChangeKind = z.enum([
  'device_added',
  'device_replaced',
  'device_removed',
  'app_added',
  'app_replaced',
  'app_removed',
  'hardware_added',
  'hardware_removed',
  'passkey_added',
  'passkey_removed',
  'codes_made',
  'codes_removed',
])
export type FactorChangeKind = z.infer<typeof FactorChangeKind>

/** A change of the user's factors, which a device shows until the person dismisses it. */
export const FactorNotice = z.object({
  id: Id,
  /** Where it changed. */
  domain: z.object({ id: Id, name: z.string() }),
  kind: FactorChangeKind,
  createdAt: Seconds,
})
export type FactorNotice = z.infer<typeof FactorNotice>

/** All that is pending, newest first. With `Prefer: wait=N` the response is held while it matches `If-None-Match`. */
export const Inbox = z.object({
  requests: z.array(DeviceRequest),
  /** Absent when there are no notices. */
  notices: z.array(FactorNotice).optional(),
  /** Phone calls that the person is asked to confirm. Absent when there are none; older authenticators ignore them. */
  calls: z.array(PhoneCall).optional(),
})
export type Inbox = z.infer<typeof Inbox>

export const Decision = z.enum(['approve', 'deny', 'report'])
export type Decision = z.infer<typeof Decision>

export const AnswerRequest = z.object({
  nonce: Random128,
  decision: Decision,
  /** The number that the person typed; only for approvals with number matching. */
  number: z.string().max(12).optional(),
  /** Only for approvals in domains with a PIN or passcode. The request stays pending after a wrong one. */
  pin: Pin.optional(),
  /** The person keeps the new browser. Only for approvals. */
  keepBrowser: z.boolean().optional(),
  /** Identifies the attempt: if the response is lost and the same attempt is sent again, it counts once. */
  attempt: Random128.optional(),
})
export type AnswerRequest = z.input<typeof AnswerRequest>

export const Answered = z.object({ id: Id, state: SessionState, reason: SessionReason.optional() })
export type Answered = z.infer<typeof Answered>

/** A scanned code, in place of the number that the person types. It approves nothing. */
export const ScanRequest = z.object({ nonce: Random128, secret: Random128 })
export type ScanRequest = z.infer<typeof ScanRequest>

/** The number to approve with. Without one, the code was wrong, and the session is settled as after a wrong number. */
export const Scanned = Answered.extend({ number: z.string().max(12).optional() })
export type Scanned = z.infer<typeof Scanned>

/** Sets or renews where the service sends push messages; null removes it. */
export const PushRequest = z.object({ push: PushSubscription.nullable() })
export type PushRequest = z.infer<typeof PushRequest>

/** `sent` is false where the service has no subscription to send to. */
export const PushTest = z.object({ id: Id, sent: z.boolean() })
export type PushTest = z.infer<typeof PushTest>

/** What the service knows. A device whose subscription or key differs sets it again. */
export const PushState = z.object({
  pushKey: PushKey.optional(),
  /** Absent where it sends no messages, for example because the push service reported that the subscription is gone. */
  endpoint: z.string().optional(),
})
export type PushState = z.infer<typeof PushState>

/** How many answers a page of the history has, and how long answers are kept, seconds. */
export const historyPageSize = 50
export const historyRetention = 90 * 24 * 60 * 60

/** Part of the signed payload, so that no query has to be signed beside it. */
export const HistoryRequest = z.object({
  /** The last entry of the previous page: only older entries are returned. */
  before: Id.optional(),
})
export type HistoryRequest = z.infer<typeof HistoryRequest>

/** One answer that this device gave. */
export const HistoryEntry = z.object({
  /** Of the session. */
  id: Id,
  domain: z.object({ id: Id, name: z.string() }),
  user: z.object({ username: z.string() }),
  attributes: z.array(Attribute),
  ipAddress: z.string().optional(),
  state: z.enum(['approved', 'denied']),
  reason: SessionReason.optional(),
  /** What it was about; absent for signing in. */
  purpose: SessionPurpose.optional(),
  createdAt: Seconds,
  settledAt: Seconds,
})
export type HistoryEntry = z.infer<typeof HistoryEntry>

/** Newest first. */
export const History = z.object({
  entries: z.array(HistoryEntry),
  /** Whether there are older entries. */
  more: z.boolean(),
  /** Calls to the help desk that this device answered, newest first; only on the first page, and absent where there are none. */
  calls: z.array(CallEntry).optional(),
})
export type History = z.infer<typeof History>

/** An error for a device. After a wrong PIN, `triesLeft` says how many attempts remain before the token is revoked. */
export const DeviceErrorBody = z.object({
  errors: z.array(ErrorBody.shape.errors.element.extend({ triesLeft: z.int().optional() })),
})
export type DeviceErrorBody = z.infer<typeof DeviceErrorBody>

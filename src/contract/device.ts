/**
 * What devices send to the service. Every POST except the preview is one compact JWS (RFC 7515, ES256, `application/jose`) whose
 * payload is the content; GETs carry the JWS as `Authorization: Device <jws>`. `device-answers.ts` has what they receive.
 */
import { z } from 'zod'

import { Pin } from './pin.ts'
import { Id, Random128, Seconds } from './text.ts'
import { ActivationCode, DeviceName } from './tokens.ts'

/** Paths below the service's public address. Their `path` claim is written as here, whatever prefix a proxy adds. */
export const devicePaths = Object.freeze({
  preview: '/device/preview',
  activate: '/device/activate',
  requests: '/device/requests',
  answer: (sessionId: string) => `/device/requests/${sessionId}/answer`,
  scan: (sessionId: string) => `/device/requests/${sessionId}/scan`,
  /** The answer to a question of the help desk, which is no session. */
  answerCall: (callId: string) => `/device/calls/${callId}/answer`,
  /** The answer to an approval of an action, which is no session either. */
  answerApproval: (approvalId: string) => `/device/approvals/${approvalId}/answer`,
  /** GET lists the requesters that the person has blocked. */
  blocks: '/device/blocks',
  liftBlock: (blockId: string) => `/device/blocks/${blockId}/lift`,
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
  /** Called by the new device, before and after the old one has confirmed. */
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
 * All that push services get to see: the id of a session, a notice, a phone call or an approval, which the device reads from the inbox, or
 * of a test, which is no session and signs nobody in.
 */
export const PushMessage = z.union([
  z.object({ session: Id }),
  z.object({ notice: Id }),
  z.object({ test: Id }),
  z.object({ call: Id }),
  z.object({ approval: Id }),
])
export type PushMessage = z.infer<typeof PushMessage>

/** The code of a move: random, as it is never typed. */
export const MoveCode = Random128

export const PreviewRequest = z.object({ code: z.union([ActivationCode, MoveCode]) })

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

/** How long the code of a move is shown, how long the old device may confirm, and the new one get its account; seconds. */
export const moveLifetimes = Object.freeze({ code: 30, claim: 2 * 60, account: 10 * 60 })

export const MoveRequest = z.object({
  /** The PIN or passcode that the domain requires. */
  pin: Pin.optional(),
})
export type MoveRequest = z.input<typeof MoveRequest>

export const ClaimMoveRequest = z.object({
  code: MoveCode,
  /** The new device's name, which the old device shows. */
  name: DeviceName,
  /** Signs this very call, and every later one. */
  key: PublicKey,
})
export type ClaimMoveRequest = z.input<typeof ClaimMoveRequest>

/** Names the device that the old one has shown. */
export const ConfirmMoveRequest = z.object({ device: Id })

export const CollectMoveRequest = z.object({
  /** The PIN or passcode of the account, which is only checked once it has moved. */
  pin: Pin.optional(),
  /** Gives up, unless the account has moved already. */
  cancel: z.boolean().optional(),
})
export type CollectMoveRequest = z.input<typeof CollectMoveRequest>

/** The most notices that a device has, and how long they are kept, seconds. */
export const maxNotices = 20
export const noticeRetention = 30 * 24 * 60 * 60

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

/** A scanned code, in place of the number that the person types. It approves nothing. */
export const ScanRequest = z.object({ nonce: Random128, secret: Random128 })
export type ScanRequest = z.infer<typeof ScanRequest>

/** Sets or renews where the service sends push messages; null removes it. */
export const PushRequest = z.object({ push: PushSubscription.nullable() })
export type PushRequest = z.infer<typeof PushRequest>

/** How many answers a page of the history has, and how long answers are kept, seconds. */
export const historyPageSize = 50
export const historyRetention = 90 * 24 * 60 * 60

/** Part of the signed payload, so that no query has to be signed beside it. */
export const HistoryRequest = z.object({
  /** The last entry of the previous page: only older entries are returned. */
  before: Id.optional(),
})
export type HistoryRequest = z.infer<typeof HistoryRequest>

/** The answers of the service to devices. Only devices parse them, so a service does not load this. */
import { z } from 'zod'

import { ApprovalDecision, maxContentLength } from './approval-facts.ts'
import { MoveCode } from './device.ts'
import { Domain13 } from './domains.ts'
import { ErrorBody } from './errors.ts'
import { CallEntry, PhoneCall } from './phone-calls.ts'
import { Attribute, SessionPurpose, SessionReason, SessionState } from './session-facts.ts'
import { ShownUser } from './shown-user.ts'
import { Id, Random128, Seconds } from './text.ts'

const DeviceDomain = z.object({ id: Id, name: z.string(), keyType: Domain13.shape.keyType })

/** The service's key for Web Push (RFC 8292), as `pushManager.subscribe` takes it: an uncompressed point, base64url. */
const PushKey = z.string().regex(/^[A-Za-z0-9_-]{87}$/)

/** The account that a code would add, shown before it is added. */
export const Preview = z.object({
  service: Id,
  organization: z.object({ name: z.string() }),
  domain: DeviceDomain,
  user: ShownUser,
  /** Absent where the service sends no push messages. */
  pushKey: PushKey.optional(),
})
export type Preview = z.infer<typeof Preview>

export const Activated = z.object({
  device: Id,
  service: Id,
  organization: z.object({ name: z.string() }),
  domain: DeviceDomain,
  user: ShownUser,
  pushKey: PushKey.optional(),
  /** Whether the service accepted the subscription. */
  push: z.boolean(),
  /** The source of codes without a connection (RFC 6238, SHA-1); the secret is base32. */
  codes: z.object({ secret: z.string(), digits: z.literal(6), period: z.literal(30) }),
})
export type Activated = z.infer<typeof Activated>

/** A code for one new device. A newer code replaces it. */
export const Move = z.object({ code: MoveCode, expiresAt: Seconds })
export type Move = z.infer<typeof Move>

/** The claim that the old device shows before it confirms. */
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

export const MoveClaimed = z.object({ device: Id, expiresAt: Seconds })
export type MoveClaimed = z.infer<typeof MoveClaimed>

/** Without an account, the old device has not confirmed yet. */
export const MoveCollected = z.object({ account: Activated.optional() })

/** One pending session, as its device sees it; without the number. */
export const DeviceRequest = z.object({
  id: Id,
  nonce: Random128,
  domain: z.object({ id: Id, name: z.string() }),
  user: ShownUser,
  attributes: z.array(Attribute),
  ipAddress: z.string().optional(),
  /** How many digits to type; 0 where no number is asked for. */
  numberLength: z.int(),
  /** The purpose that an approval allows; absent for signing in. */
  purpose: SessionPurpose.optional(),
  /** The browser is not one that the person keeps. An approval can keep it. */
  newBrowser: z.literal(true).optional(),
  /**
   * The person has never passed the second step in this browser: a reason to warn. Decided by the service, by the cookie of the browser
   * alone: its name and its place are what an attacker chooses.
   */
  neverPassed: z.literal(true).optional(),
  createdAt: Seconds,
  expiresAt: Seconds,
})
export type DeviceRequest = z.infer<typeof DeviceRequest>

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
  /** The domain of the change. */
  domain: z.object({ id: Id, name: z.string() }),
  kind: FactorChangeKind,
  createdAt: Seconds,
})
export type FactorNotice = z.infer<typeof FactorNotice>

/** What an administrator did: it lifted the limits of the user's codes and requests, or ended the user's web sessions. */
export const AccessChangeKind = z.enum(['unlocked', 'signed_out'])
export type AccessChangeKind = z.infer<typeof AccessChangeKind>

/** A notice that is no change of factors. Like those, a device shows it until the person dismisses it. */
export const AccessNotice = FactorNotice.extend({ kind: AccessChangeKind })
export type AccessNotice = z.infer<typeof AccessNotice>

export type Notice = FactorNotice | AccessNotice

/** One action to approve, as its device sees it. */
export const DeviceApproval = z.object({
  id: Id,
  nonce: Random128,
  /** The content to show and to sign: JSON text, as `ApprovalContent`. */
  content: z.string().max(maxContentLength),
  domain: z.object({ id: Id, name: z.string() }),
  user: ShownUser,
  /** How many digits to type; 0 where no number is asked for. */
  numberLength: z.int(),
  createdAt: Seconds,
  expiresAt: Seconds,
})
export type DeviceApproval = z.infer<typeof DeviceApproval>

/** An approval that this person answered. */
export const ApprovalEntry = DeviceApproval.pick({ id: true, domain: true, user: true, createdAt: true }).extend({
  title: z.string(),
  decision: ApprovalDecision,
  /** The number was wrong, so the approval did not count. */
  wrongNumber: z.literal(true).optional(),
  answeredAt: Seconds,
})
export type ApprovalEntry = z.infer<typeof ApprovalEntry>

/** All that is pending, newest first. With `Prefer: wait=N` the response is held while it matches `If-None-Match`. */
export const Inbox = z.object({
  requests: z.array(DeviceRequest),
  /** Absent when there are no notices. */
  notices: z.array(FactorNotice).optional(),
  /** Absent when there are none. In a list of their own: older authenticators ignore it, and accept no other kind in `notices`. */
  accessNotices: z.array(AccessNotice).optional(),
  /** Phone calls that the person is asked to confirm. Absent when there are none; older authenticators ignore them. */
  calls: z.array(PhoneCall).optional(),
  /** Actions to approve. Absent when there are none; older authenticators ignore them. */
  approvals: z.array(DeviceApproval).optional(),
})
export type Inbox = z.infer<typeof Inbox>

export const Answered = z.object({
  id: Id,
  state: SessionState,
  reason: SessionReason.optional(),
  /** How many requests of the person a report has denied, this one included if it still waited; absent after other answers. */
  blocked: z.int().optional(),
  /** How long new requests are paused after a report, seconds. */
  pausedFor: z.int().optional(),
})
export type Answered = z.infer<typeof Answered>

/** The number to approve with. Without one, the code was wrong, and the session is settled as after a wrong number. */
export const Scanned = Answered.extend({ number: z.string().max(12).optional() })
export type Scanned = z.infer<typeof Scanned>

/** `sent` is false where the service has no subscription to send to. */
export const PushTest = z.object({ id: Id, sent: z.boolean() })
export type PushTest = z.infer<typeof PushTest>

/** The push settings as the service has them. A device whose subscription or key differs sets it again. */
export const PushState = z.object({
  pushKey: PushKey.optional(),
  /** Absent where it sends no messages, for example because the push service reported that the subscription is gone. */
  endpoint: z.string().optional(),
})
export type PushState = z.infer<typeof PushState>

/** One answer that this device gave, or a request to it that was denied when the person reported another one. */
export const HistoryEntry = z.object({
  /** The id of the session. */
  id: Id,
  domain: z.object({ id: Id, name: z.string() }),
  user: ShownUser,
  attributes: z.array(Attribute),
  ipAddress: z.string().optional(),
  state: z.enum(['approved', 'denied']),
  reason: SessionReason.optional(),
  /** The purpose of the request; absent for signing in. */
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
  /** The same for approvals. */
  approvals: z.array(ApprovalEntry).optional(),
})
export type History = z.infer<typeof History>

/** An error for a device. After a wrong PIN, `triesLeft` says how many attempts remain before the token is revoked. */
export const DeviceErrorBody = z.object({
  errors: z.array(ErrorBody.shape.errors.element.extend({ triesLeft: z.int().optional() })),
})
export type DeviceErrorBody = z.infer<typeof DeviceErrorBody>

/**
 * The messages between a device and the service. Every POST but the preview is one compact JWS (RFC 7515, ES256,
 * `application/jose`) whose payload is the content; GETs carry the JWS as `Authorization: Device <jws>`.
 */
import { z } from 'zod'

import { Attribute, SessionReason, SessionState } from './sessions.ts'
import { Id, Random128, Seconds, strippedText } from './text.ts'
import { ActivationCode } from './tokens.ts'

/** Paths below the service's public address. Their `path` claim is written as here, whatever prefix a proxy adds. */
export const devicePaths = Object.freeze({
  preview: '/device/preview',
  activate: '/device/activate',
  requests: '/device/requests',
  answer: (sessionId: string) => `/device/requests/${sessionId}/answer`,
  remove: '/device/remove',
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

export const PreviewRequest = z.object({ code: ActivationCode })

/** What a code would join, shown before joining. */
export const Preview = z.object({
  service: Id,
  organization: z.object({ name: z.string() }),
  domain: z.object({ id: Id, name: z.string(), keyType: z.enum(['NONE', 'PIN', 'PASSCODE']) }),
  user: z.object({ username: z.string() }),
})
export type Preview = z.infer<typeof Preview>

export const ActivateRequest = z.object({
  code: ActivationCode,
  /** What its owner calls the device, such as "Firefox on Android". */
  name: strippedText(1, 64),
  /** Signs this very call, and every later one. */
  key: PublicKey,
})
export type ActivateRequest = z.input<typeof ActivateRequest>

export const Activated = z.object({
  device: Id,
  service: Id,
  organization: z.object({ name: z.string() }),
  domain: z.object({ id: Id, name: z.string() }),
  user: z.object({ username: z.string() }),
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
  createdAt: Seconds,
  expiresAt: Seconds,
})
export type DeviceRequest = z.infer<typeof DeviceRequest>

/** Always all that is pending, newest first. Held by `Prefer: wait=N` while it is what `If-None-Match` names. */
export const Inbox = z.object({ requests: z.array(DeviceRequest) })
export type Inbox = z.infer<typeof Inbox>

export const Decision = z.enum(['approve', 'deny', 'report'])
export type Decision = z.infer<typeof Decision>

export const AnswerRequest = z.object({
  nonce: Random128,
  decision: Decision,
  /** What the person typed; approvals with number matching only. */
  number: z.string().max(12).optional(),
})
export type AnswerRequest = z.input<typeof AnswerRequest>

export const Answered = z.object({ id: Id, state: SessionState, reason: SessionReason.optional() })
export type Answered = z.infer<typeof Answered>

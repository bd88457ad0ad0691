/** What is signed about an approval. */
import { z } from 'zod'

import { ApprovalDecision, maxContentLength } from './approval-facts.ts'
import { PublicKey } from './device.ts'
import { Pin } from './pin.ts'
import { Id, Random128, Seconds } from './text.ts'

/** The `typ` of the two signatures of a proof (RFC 7515 section 4.1.9). Nothing else is ever signed with one of them. */
export const proofTypes = Object.freeze({ answer: 'approval+jws', receipt: 'approval-receipt+jws' })

/** What a device signs, ES256: the text that it has shown, and the decision. Never a PIN or a number. */
export const AnswerClaims = z.strictObject({
  /** The service's id. */
  aud: Id,
  /** The device's id. */
  sub: Id,
  approval: Id,
  content: z.string().max(maxContentLength),
  decision: ApprovalDecision,
  nonce: Random128,
  /** By the clock of the device, which proves nothing; the receipt has the time of the service. */
  iat: Seconds,
})
export type AnswerClaims = z.infer<typeof AnswerClaims>

const Base64Url = z.string().regex(/^[A-Za-z0-9_-]+$/)

/**
 * What a passkey has signed, as JSON text. The challenge in `clientData` is `approvalChallenge(…)` of the approval, the nonce and the
 * content.
 */
export const ApprovalPasskeyAnswer = z.strictObject({
  approval: Id,
  content: z.string().max(maxContentLength),
  /** 32 bytes. */
  nonce: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
  /** The id that its authenticator gave to the passkey. */
  credentialId: Base64Url.max(1_400),
  authenticatorData: Base64Url.max(8_192),
  clientData: Base64Url.max(8_192),
  signature: Base64Url.max(4_096),
})
export type ApprovalPasskeyAnswer = z.infer<typeof ApprovalPasskeyAnswer>

/** The text before the id, the nonce and the digest in the challenge of a passkey. No challenge of a sign-in is made in this way. */
export const passkeyChallengeLabel = 'second-factor approval 1'

/** The public key of a passkey, as a JWK (RFC 7517): P-256, Ed25519 or RSA. */
export const PasskeyKey = z.union([
  PublicKey,
  z.strictObject({ kty: z.literal('OKP'), crv: z.literal('Ed25519'), x: Base64Url }),
  z.strictObject({ kty: z.literal('RSA'), n: Base64Url, e: Base64Url }),
])
export type PasskeyKey = z.infer<typeof PasskeyKey>

const ReceiptBase = z.strictObject({
  /** The service's id. */
  iss: Id,
  /** When the service accepted the answer, by its own clock. */
  iat: Seconds,
  approval: Id,
  domain: Id,
  user: z.strictObject({ id: Id, username: z.string() }),
  decision: ApprovalDecision,
  /** SHA-256 of the answer's text, base64url. */
  answer: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
})

/**
 * What the service signs, ES256, in the transaction that accepts an answer. `shownBy`: a device has shown the content on its own screen;
 * for a passkey the page of the app did, which proves nothing about what was seen.
 */
export const ReceiptClaims = z.discriminatedUnion('shownBy', [
  ReceiptBase.extend({
    shownBy: z.literal('device'),
    device: Id,
    key: PublicKey,
    /** Whether the person typed the number that the requesting page showed: requester and approver looked at the same screen. */
    numberMatched: z.boolean(),
    /** Whether the person typed the PIN or passcode of the device. */
    pinVerified: z.boolean(),
  }),
  ReceiptBase.extend({
    shownBy: z.literal('app'),
    passkey: Id,
    key: PasskeyKey,
    rpId: z.string(),
    /** Whether its authenticator verified the person, by PIN or biometrics. */
    userVerified: z.boolean(),
  }),
])
export type ReceiptClaims = z.infer<typeof ReceiptClaims>

/** The proof of one person's answer. */
export const Proof = z.object({
  /** The compact JWS of a device, or the JSON text of `ApprovalPasskeyAnswer`. */
  answer: z.string(),
  /** A compact JWS of the service. */
  receipt: z.string(),
})
export type Proof = z.infer<typeof Proof>

/** A device's answer to an approval: its signature, and around it what no proof contains. */
export const ApprovalAnswerRequest = z.object({
  /** The compact JWS over `AnswerClaims`. */
  proof: z.string().max(4 * maxContentLength),
  /** The number that the person typed; only to approve what asks for one. */
  number: z.string().max(12).optional(),
  /** Only to approve in domains with a PIN or passcode. The approval stays pending after a wrong one. */
  pin: Pin.optional(),
  /** Identifies the attempt: if the response is lost and the same attempt is sent again, it counts once. */
  attempt: Random128.optional(),
})
export type ApprovalAnswerRequest = z.input<typeof ApprovalAnswerRequest>

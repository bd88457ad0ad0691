import { createHash, verify } from 'node:crypto'

import { z } from 'zod'

import type { PasskeyKey, ReceiptClaims } from '../../contract/approval-proof.ts'
import { ApprovalPasskeyAnswer, passkeyChallengeLabel } from '../../contract/approval-proof.ts'
import { decodeBase64Url, decodeUtf8 } from './base64url.ts'
import { readKey, verifyEs256 } from './compact-jws.ts'
import { check } from './proof-error.ts'
import { parseStrictJson } from './strict-json.ts'

export type PasskeyReceipt = Extract<ReceiptClaims, { shownBy: 'app' }>

/** What the browser has passed to the passkey (WebAuthn section 5.8.1). Browsers may add members. */
const ClientData = z.object({ type: z.literal('webauthn.get'), challenge: z.string() })

/** The places of the flags in the authenticator data, and its minimum length, bytes (WebAuthn section 6.1). */
const authenticatorData = { rpIdHash: 32, flags: 32, minimum: 37, present: 0x01, verified: 0x04 } as const

/** Verifies what a passkey has signed. @returns the content, as text. @throws {ProofError} */
export function verifyPasskeyAnswer(text: string, receipt: PasskeyReceipt): string {
  const answer = parseStrictJson(text, ApprovalPasskeyAnswer, 'answer.malformed')
  const [data, clientData, signature] = [answer.authenticatorData, answer.clientData, answer.signature].map(
    decodeBase64Url,
  )
  check(data !== undefined && data.length >= authenticatorData.minimum, 'answer.malformed')
  check(clientData !== undefined && signature !== undefined, 'answer.malformed')
  const signed = Buffer.concat([data, sha256(clientData)])
  check(isSignedBy(receipt.key, signed, signature), 'answer.signature')
  check(answer.approval === receipt.approval, 'answer.approval')
  // A passkey can only approve: its answer has no place for another decision.
  check(receipt.decision === 'approve', 'answer.decision')
  const { challenge } = parseStrictJson(decodeUtf8(clientData) ?? '', ClientData, 'passkey.ceremony')
  check(challenge === approvalChallenge(answer), 'passkey.challenge')
  check(data.subarray(0, authenticatorData.rpIdHash).equals(sha256(receipt.rpId)), 'passkey.relyingparty')
  const flags = data[authenticatorData.flags] ?? 0
  check((flags & authenticatorData.present) !== 0, 'passkey.presence')
  check(((flags & authenticatorData.verified) !== 0) === receipt.userVerified, 'passkey.verification')
  return answer.content
}

/** The challenge of a passkey that approves. Equal contents have different ones, and no challenge of a sign-in is one. */
export function approvalChallenge({
  approval,
  nonce,
  content,
}: Pick<ApprovalPasskeyAnswer, 'approval' | 'nonce' | 'content'>): string {
  const label = Buffer.from(`${passkeyChallengeLabel}\0`)
  const parts = [label, Buffer.from(approval, 'hex'), Buffer.from(nonce, 'base64url'), sha256(content)]
  return sha256(Buffer.concat(parts)).toString('base64url')
}

const sha256 = (data: string | Uint8Array): Buffer => createHash('sha256').update(data).digest()

/** Verifies by ES256, EdDSA or RS256, as the key says (WebAuthn section 6.5.5). */
function isSignedBy(key: PasskeyKey, signed: Buffer, signature: Buffer): boolean {
  if (key.kty === 'EC') return verifyEs256(key, signed, signature, 'der')
  const publicKey = readKey(key)
  return publicKey !== undefined && verify(key.kty === 'RSA' ? 'sha256' : null, signed, publicKey, signature)
}

import { createHash } from 'node:crypto'

import type { ApprovalDecision } from '../../contract/approval-facts.ts'
import type { ReceiptClaims } from '../../contract/approval-proof.ts'
import { ApprovalContent } from '../../contract/approval-content.ts'
import { Proof } from '../../contract/approval-proof.ts'
import { clockSkew } from '../../ground/clock.ts'
import { verifyDeviceAnswer } from './device-answer.ts'
import { verifyPasskeyAnswer } from './passkey-answer.ts'
import { check } from './proof-error.ts'
import type { ProofOptions } from './receipt.ts'
import { resolveProofOptions, verifyReceipt } from './receipt.ts'
import { parseStrictJson } from './strict-json.ts'

interface VerifiedAnswer {
  /** The id of the approval. */
  readonly approval: string
  /** What the person was asked to approve. */
  readonly content: ApprovalContent
  /** SHA-256 of the content as it was signed, hexadecimal: the audit trail has it, too. */
  readonly digest: string
  /** Look at it: a proof that somebody denied is valid, too. */
  readonly decision: ApprovalDecision
  readonly user: { readonly id: string; readonly username: string }
  /** The id of the domain. */
  readonly domain: string
  /** The id of the service that signed the receipt. */
  readonly service: string
  /** When the service accepted the answer, Unix time, seconds. */
  readonly at: number
}

/** An answer on a device, which has shown the content itself. */
export interface DeviceProof extends VerifiedAnswer {
  readonly shownBy: 'device'
  readonly device: string
  /** Whether the person typed the number that the requesting page showed. */
  readonly numberMatched: boolean
  /** Whether the person typed the PIN or passcode of the device. */
  readonly pinVerified: boolean
}

/** An answer with a passkey. The page of the app has shown the content, so nothing proves what the person saw. */
export interface PasskeyProof extends VerifiedAnswer {
  readonly shownBy: 'app'
  readonly passkey: string
  /** Whether the authenticator verified the person, by PIN or biometrics. */
  readonly userVerified: boolean
}

export type VerifiedProof = DeviceProof | PasskeyProof

/**
 * Verifies the proof of one person's answer, without the service: only keys that you trust are needed. A valid proof can be one of a
 * denial, so look at `decision`, or verify the whole approval with {@link verifyApproval}.
 *
 * @throws {ProofError} that says which check failed.
 * @throws {TypeError} when an option is missing or wrong.
 *
 * @example
 * const { decision, user, content } = verifyProof(proof, { trust: JSON.parse(readFileSync('trust.json', 'utf8')) })
 */
export function verifyProof(proof: Proof, options: ProofOptions): VerifiedProof {
  const resolved = resolveProofOptions('verifyProof', options)
  const parsed = Proof.safeParse(proof)
  check(parsed.success, 'proof.malformed')
  const { answer, receipt: receiptText } = parsed.data
  const receipt = verifyReceipt(receiptText, resolved)
  // Lone surrogates would all become the same bytes.
  check(answer.isWellFormed() && digest(answer, 'base64url') === receipt.answer, 'answer.digest')
  const text = receipt.shownBy === 'device' ? verifyDeviceAnswer(answer, receipt) : verifyPasskeyAnswer(answer, receipt)
  return describe(receipt, text, verifyContent(receipt, text))
}

function verifyContent(receipt: ReceiptClaims, text: string): ApprovalContent {
  check(text.isWellFormed(), 'content.malformed')
  const content = parseStrictJson(text, ApprovalContent, 'content.malformed')
  check(content.approval === receipt.approval, 'content.approval')
  check(content.app.id === receipt.domain, 'content.app')
  // Another process of the service may have asked, with a clock that is ahead.
  check(content.createdAt <= receipt.iat + clockSkew && receipt.iat <= content.expiresAt, 'content.time')
  return content
}

function describe(receipt: ReceiptClaims, text: string, content: ApprovalContent): VerifiedProof {
  const { approval, decision, user, domain, iss: service, iat: at } = receipt
  const answer = { approval, content, digest: digest(text, 'hex'), decision, user, domain, service, at }
  if (receipt.shownBy === 'app') {
    return { ...answer, shownBy: 'app', passkey: receipt.passkey, userVerified: receipt.userVerified }
  }
  const { device, numberMatched, pinVerified } = receipt
  return { ...answer, shownBy: 'device', device, numberMatched, pinVerified }
}

const digest = (text: string, encoding: 'hex' | 'base64url'): string =>
  createHash('sha256').update(text).digest(encoding)

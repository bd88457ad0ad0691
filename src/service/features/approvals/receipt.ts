import { hash, sign } from 'node:crypto'

import { proofTypes } from '../../../contract/approval-proof.ts'
import type { Proof, ReceiptClaims } from '../../../contract/approval-proof.ts'
import type { ReceiptKey } from './receipt-keys.ts'

type Facts<C> = C extends unknown ? Omit<C, 'answer'> : never

/** What a receipt says besides the digest of the answer. */
export type ReceiptFacts = Facts<ReceiptClaims>

/**
 * Signs that the service accepted an answer, as a compact JWS (RFC 7515 section 3.1). Without it, the owner of a key could date an answer
 * back to before the key was removed.
 */
export function signReceipt({ id, privateKey }: ReceiptKey, answer: string, facts: ReceiptFacts): Proof {
  const claims = { ...facts, answer: hash('sha256', answer, 'base64url') }
  const head = { alg: 'ES256', typ: proofTypes.receipt, kid: id }
  const signed = `${encode(head)}.${encode(claims)}`
  const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' })
  return { answer, receipt: `${signed}.${signature.toString('base64url')}` }
}

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

import { z } from 'zod'

import { proofTypes, ReceiptClaims } from '../../contract/approval-proof.ts'
import { PublicKey } from '../../contract/device.ts'
import { parseOptions } from '../../contract/validate.ts'
import { readCompactJws } from './compact-jws.ts'
import { check } from './proof-error.ts'
import { parseStrictJson } from './strict-json.ts'

/** The options of `verifyProof()`. */
export interface ProofOptions {
  /** The keys of receipts, from `approvals.keys()` or `second-factor proof keys`, stored before they were needed. */
  trust: { readonly keys: readonly object[] }
  /**
   * The id of the service that has to have signed the receipt.
   * @default any service whose key is trusted
   */
  service?: string | undefined
  /**
   * The present time, Unix seconds: a receipt that is dated later is refused.
   * @default the future is not refused
   */
  now?: number | undefined
}

const TrustedKey = PublicKey.extend({
  kid: z.string().min(1),
  alg: z.literal('ES256').optional(),
  use: z.literal('sig').optional(),
})

const ProofOptions = z.strictObject({
  trust: z
    .object({ keys: z.array(TrustedKey).min(1) })
    .refine(({ keys }) => new Set(keys.map(({ kid }) => kid)).size === keys.length, 'must not have a kid twice'),
  service: z.string().optional(),
  now: z.number().optional(),
})
export type ResolvedProofOptions = Readonly<z.output<typeof ProofOptions>>

/** @throws {TypeError} that names the wrong option. */
export const resolveProofOptions = (caller: string, options: ProofOptions): ResolvedProofOptions =>
  parseOptions(ProofOptions, caller, options)

const ReceiptHeader = z.strictObject({ alg: z.literal('ES256'), typ: z.literal(proofTypes.receipt), kid: z.string() })

/** Verifies what the service has signed, before anything in it is believed. @throws {ProofError} */
export function verifyReceipt(text: string, { trust, service, now }: ResolvedProofOptions): ReceiptClaims {
  const jws = readCompactJws(text)
  check(jws !== undefined, 'receipt.malformed')
  const { kid } = parseStrictJson(jws.header, ReceiptHeader, 'receipt.header')
  const key = trust.keys.find((trusted) => trusted.kid === kid)
  check(key !== undefined, 'receipt.key')
  check(jws.isSignedBy(key), 'receipt.signature')
  const receipt = parseStrictJson(jws.payload, ReceiptClaims, 'receipt.claims')
  check(service === undefined || receipt.iss === service, 'receipt.service')
  check(now === undefined || receipt.iat <= now, 'receipt.future')
  return receipt
}

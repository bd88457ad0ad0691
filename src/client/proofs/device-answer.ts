import { z } from 'zod'

import type { ReceiptClaims } from '../../contract/approval-proof.ts'
import { AnswerClaims, proofTypes } from '../../contract/approval-proof.ts'
import { readCompactJws } from './compact-jws.ts'
import { check } from './proof-error.ts'
import { parseStrictJson } from './strict-json.ts'

const AnswerHeader = z.strictObject({ alg: z.literal('ES256'), typ: z.literal(proofTypes.answer) })

export type DeviceReceipt = Extract<ReceiptClaims, { shownBy: 'device' }>

/** Verifies what a device has signed. @returns the content, as text. @throws {ProofError} */
export function verifyDeviceAnswer(text: string, receipt: DeviceReceipt): string {
  const jws = readCompactJws(text)
  check(jws !== undefined, 'answer.malformed')
  parseStrictJson(jws.header, AnswerHeader, 'answer.header')
  check(jws.isSignedBy(receipt.key), 'answer.signature')
  const answer = parseStrictJson(jws.payload, AnswerClaims, 'answer.claims')
  check(answer.approval === receipt.approval, 'answer.approval')
  check(answer.aud === receipt.iss, 'answer.service')
  check(answer.sub === receipt.device, 'answer.device')
  check(answer.decision === receipt.decision, 'answer.decision')
  return answer.content
}

import { base64url } from 'jose'

import { devicePaths } from '../contract/device.ts'
import { CallAnswered, type CallAnswerRequest, type CallDecision, type PhoneCall } from '../contract/phone-calls.ts'
import type { Account } from './account.ts'
import type { DeviceContext } from './options.ts'
import { persistently } from './requests.ts'
import { parseContent } from './send.ts'
import { signedCall } from './signed-call.ts'

export interface CallAnswer {
  readonly decision: CallDecision
  /** The number that the person heard; only to confirm. */
  readonly number?: string | undefined
  /** Needed only to confirm, and only where `requiredSecret(account)` says so. */
  readonly pin?: string | undefined
}

/** Answers whether the person is on the phone with the help desk. Retries a lost answer. */
export async function answerCall(
  context: DeviceContext,
  account: Account,
  call: Pick<PhoneCall, 'id' | 'nonce'>,
  { decision, number, pin }: CallAnswer,
): Promise<CallAnswered> {
  const content: CallAnswerRequest = {
    nonce: call.nonce,
    decision,
    ...(number !== undefined && { number }),
    ...(pin !== undefined && { pin, attempt: base64url.encode(context.random(16)) }),
  }
  const path = devicePaths.answerCall(call.id)
  return persistently(context, async () =>
    parseContent(await signedCall(context, account, { method: 'POST', path, content }), CallAnswered),
  )
}

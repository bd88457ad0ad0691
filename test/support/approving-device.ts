import { CompactSign } from 'jose'

import { proofTypes } from '../../src/contract/approval-proof.ts'
import type { ApprovalDecision } from '../../src/contract/approval-facts.ts'
import { devicePaths } from '../../src/contract/device.ts'
import { ApprovalAnswered } from '../../src/contract/approval-answers.ts'
import { Inbox } from '../../src/contract/device-answers.ts'
import type { DeviceApproval } from '../../src/contract/device-answers.ts'
import type { Account } from '../../src/device/index.ts'
import { DeviceOptions } from '../../src/device/options.ts'
import type { DeviceContext } from '../../src/device/options.ts'
import { signedCall } from '../../src/device/signed-call.ts'
import type { Clock } from '../../src/ground/clock.ts'

const contextOf = (clock: Clock): DeviceContext => DeviceOptions.parse({ clock })

/** Everything that waits for a device. */
export async function inboxOf(clock: Clock, account: Account): Promise<Inbox> {
  const answer = await signedCall(contextOf(clock), account, {
    method: 'GET',
    path: devicePaths.requests,
  })
  return Inbox.parse(await answer.json())
}

interface Answered {
  readonly decision: ApprovalDecision
  readonly number: string | undefined
}

/** Signs what the device shows, as it does. */
export async function answerApproval(
  clock: Clock,
  account: Account,
  approval: DeviceApproval,
  { decision, number }: Answered,
) {
  const { id, nonce, content } = approval
  const { service: aud, id: sub, privateKey } = account
  const claims = { aud, sub, approval: id, content, decision, nonce, iat: clock.now() }
  const proof = await new CompactSign(new TextEncoder().encode(JSON.stringify(claims)))
    .setProtectedHeader({ alg: 'ES256', typ: proofTypes.answer })
    .sign(privateKey)
  const call = {
    method: 'POST',
    path: devicePaths.answerApproval(id),
    content: { proof, ...(number && { number }) },
  } as const
  const answer = await signedCall(contextOf(clock), account, call)
  return ApprovalAnswered.parse(await answer.json())
}

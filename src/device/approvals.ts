import { base64url, CompactSign } from 'jose'

import { type AnswerClaims, type ApprovalAnswerRequest, proofTypes } from '../contract/approval-proof.ts'
import { ApprovalContent } from '../contract/approval-content.ts'
import { type ApprovalDecision } from '../contract/approval-facts.ts'
import { ApprovalAnswered, type RequesterBlock, RequesterBlocks } from '../contract/approval-answers.ts'
import { type DeviceApproval } from '../contract/device-answers.ts'
import { devicePaths } from '../contract/device.ts'
import { parseJson } from '../contract/validate.ts'
import type { Account } from './account.ts'
import type { DeviceContext } from './options.ts'
import { persistently } from './requests.ts'
import { parseContent } from './send.ts'
import { signedCall } from './signed-call.ts'

export interface ApprovalAnswer {
  readonly decision: ApprovalDecision
  /** The number that the person typed; only to approve what asks for one. */
  readonly number?: string | undefined
  /** Needed only to approve, and only where `requiredSecret(account)` says so. */
  readonly pin?: string | undefined
}

type Answerable = Pick<DeviceApproval, 'id' | 'nonce' | 'content'>

/**
 * Reads the content that has to be shown before it is approved.
 * @returns undefined where it could not be shown in full: an unknown member, a text that is too long, or the content of another approval.
 */
export function readContent(approval: Pick<DeviceApproval, 'id' | 'content'>): ApprovalContent | undefined {
  const { data } = ApprovalContent.safeParse(parseJson(approval.content))
  return data?.approval === approval.id ? data : undefined
}

/**
 * Answers an approval: signs its content as it is, with the decision. Retries a lost answer.
 * @throws {TypeError} for an approval of content that nothing can show.
 */
export async function answerApproval(
  context: DeviceContext,
  account: Account,
  approval: Answerable,
  { decision, number, pin }: ApprovalAnswer,
): Promise<ApprovalAnswered> {
  if (decision === 'approve' && !readContent(approval)) throw new TypeError('answerApproval: unknown format of content')
  const content: ApprovalAnswerRequest = {
    proof: await sign(account, claimsOf(context, account, approval, decision)),
    ...(number !== undefined && { number }),
    ...(pin !== undefined && { pin, attempt: base64url.encode(context.random(16)) }),
  }
  const path = devicePaths.answerApproval(approval.id)
  return persistently(context, async () =>
    parseContent(await signedCall(context, account, { method: 'POST', path, content }), ApprovalAnswered),
  )
}

/** Reads which requesters the person has blocked. */
export async function blocks(context: DeviceContext, account: Account): Promise<readonly RequesterBlock[]> {
  const response = await signedCall(context, account, { method: 'GET', path: devicePaths.blocks })
  return (await parseContent(response, RequesterBlocks)).blocks
}

/** Allows a blocked requester to ask again. */
export async function liftBlock(
  context: DeviceContext,
  account: Account,
  block: Pick<RequesterBlock, 'id'>,
): Promise<void> {
  await signedCall(context, account, { method: 'POST', path: devicePaths.liftBlock(block.id) })
}

/** Neither number nor PIN: others verify the proof, and keep it. */
function claimsOf(
  context: DeviceContext,
  account: Account,
  { id, nonce, content }: Answerable,
  decision: ApprovalDecision,
): AnswerClaims {
  const iat = context.clock.now() + account.clockOffset
  return { aud: account.service, sub: account.id, approval: id, content, decision, nonce, iat }
}

/** A type of its own, so that no signature of a call is ever taken for one of content, or the other way round. */
async function sign(account: Account, claims: AnswerClaims): Promise<string> {
  return new CompactSign(new TextEncoder().encode(JSON.stringify(claims)))
    .setProtectedHeader({ alg: 'ES256', typ: proofTypes.answer })
    .sign(account.privateKey)
}

import { AnswerClaims, ApprovalAnswerRequest, proofTypes } from '../../../contract/approval-proof.ts'
import type { ApprovalDecision } from '../../../contract/approval-facts.ts'
import type { Proof } from '../../../contract/approval-proof.ts'
import type { ApprovalAnswered } from '../../../contract/approval-answers.ts'
import { isSameText } from '../../../ground/same-text.ts'
import type { ServiceContext } from '../../engine/context/service-context.ts'
import { ApiProblem } from '../../engine/base/problem.ts'
import { parseJson } from '../../engine/http/parse-json.ts'
import { readCommitted } from '../../engine/database/transaction-ends.ts'
import type { Queryable } from '../../engine/database/schema/schema.ts'
import { verifyAnswerPin } from '../devices/answer-pin.ts'
import type { PinResult } from '../devices/answer-pin.ts'
import { importedKey } from '../devices/imported-keys.ts'
import { parseContent, verifiedText } from '../devices/signature.ts'
import { consumeCall, requireActive } from '../devices/signed-call.ts'
import type { SignedCall } from '../devices/signed-call.ts'
import { organizationOfDomain } from '../domains/statements.ts'
import { memberBy } from '../users/member-statements.ts'
import { lockUser } from '../users/statements.ts'
import type { UserRow } from '../users/statements.ts'
import { approverOf } from './approver-statements.ts'
import type { ApproverRow } from './approver-statements.ts'
import { afterReport } from './blocks.ts'
import { forgetAsked } from './budget.ts'
import { openContent } from '../../engine/secrets/approval-content.ts'
import { signReceipt } from './receipt.ts'
import { receiptKeyFor } from './receipt-keys.ts'
import type { ReceiptKey } from './receipt-keys.ts'
import { approvalAtTime } from './rules.ts'
import { acceptAnswer } from './settle.ts'
import { approvalById, lockApproval } from './statements.ts'
import type { ApprovalRow } from './statements.ts'

/** What the device has signed, and what it sent around it. */
interface DeviceAnswer {
  readonly proof: string
  readonly claims: AnswerClaims
  /** Only to approve. */
  readonly number: string | null
}

/**
 * A person's answer to an approval, with the device's signature over what it has shown. Checks, in this order: the signature of the call
 * (by the caller), that over the content, nonce, PIN, number. It reads and changes approvals only, never a session.
 */
export async function answerApproval(ctx: ServiceContext, call: SignedCall, id: string): Promise<ApprovalAnswered> {
  const { proof, number = null, pin, attempt } = parseContent(ApprovalAnswerRequest, call.payload)
  const claims = signedAnswer(ctx, call, { id, proof })
  const agrees = claims.decision === 'approve'
  const answer = { proof, claims, number: agrees ? number : null }
  const key = await receiptKeyFor(ctx)
  const pinResult = await verifyAnswerPin(ctx, call, { agrees, pin, attempt }, async (db) => {
    const { approval, approver } = await findApproval(ctx, db, call, answer, approvalById)
    return isWaiting(ctx, approval, approver)
  })
  return readCommitted(ctx.store.db).execute(async (db) => {
    const organizationId = await organizationOfDomain(db, call.device.domainId)
    await lockUser(db, organizationId, call.device.userId)
    await (pinResult === 'not-required' ? consumeCall(db, call) : requireActive(db, call.device.id))
    const found = await findApproval(ctx, db, call, answer, lockApproval)
    return decide(ctx, db, { ...found, call, answer, key, pinResult, organizationId })
  })
}

/** @throws {ApiProblem} `api.error.invalid.proof` unless this device has signed an answer to this approval, and nothing else. */
function signedAnswer(
  { serviceId }: ServiceContext,
  { device }: SignedCall,
  { id, proof }: { readonly id: string; readonly proof: string },
): AnswerClaims {
  const key = importedKey({ kty: 'EC', crv: 'P-256', x: device.keyX, y: device.keyY })
  const parsed = AnswerClaims.safeParse(parseJson(textOf(proof, key)))
  const claims = parsed.data
  if (!claims || claims.aud !== serviceId || claims.sub !== device.id || claims.approval !== id) throw wrongProof()
  return claims
}

function textOf(proof: string, key: Parameters<typeof verifiedText>[1]): string {
  try {
    return verifiedText(proof, key, proofTypes.answer)
  } catch {
    throw wrongProof()
  }
}

interface Found {
  readonly approval: ApprovalRow
  readonly approver: ApproverRow
}

/** The approval that this device's owner is asked for. @param read How it is read: locked, where answers are counted one after another. */
async function findApproval(
  ctx: ServiceContext,
  db: Queryable,
  { device }: SignedCall,
  { claims }: DeviceAnswer,
  read: typeof lockApproval,
): Promise<Found> {
  const { domainId, userId } = device
  const approval = await read(db, claims.approval)
  const approver = approval && (await approverOf(db, { approvalId: approval.id, domainId, userId }))
  if (!approver) throw new ApiProblem('api.error.notfound.approval')
  if (!isSameText(approver.nonce, claims.nonce))
    throw new ApiProblem('api.error.invalid.nonce', 'nonce: does not match the approval.')
  if (!isSameText(openContent(ctx.secrets, approval), claims.content)) throw wrongProof()
  return { approval, approver }
}

const isWaiting = ({ clock }: ServiceContext, approval: ApprovalRow, { waiting }: ApproverRow): boolean =>
  waiting === 1 && approvalAtTime(approval, clock.now()).state === 'pending'

interface Deciding extends Found {
  readonly call: SignedCall
  readonly answer: DeviceAnswer
  readonly key: ReceiptKey
  readonly pinResult: PinResult
  readonly organizationId: string
}

async function decide(ctx: ServiceContext, db: Queryable, deciding: Deciding): Promise<ApprovalAnswered> {
  const { approval, approver, call, answer, pinResult, organizationId } = deciding
  const { decision } = answer.claims
  if (!isWaiting(ctx, approval, approver)) return repeated(ctx, approval, approver, answer)
  if (pinResult === 'late') throw tooLate()
  const user = await memberBy(db, { organizationId, domainId: approval.domainId }, { id: approver.userId })
  if (!user || approver.removed === 1) throw new ApiProblem('api.error.notfound.approval')
  const number = decision === 'approve' && approver.number !== null ? answer.number : null
  if (decision === 'approve' && approver.number !== null && number === null)
    throw new ApiProblem('api.error.invalid.number', 'number: required.')
  const isRight = number === null || isSameText(approver.number ?? '', number)
  const actor = { kind: 'device', id: call.device.id } as const
  const settled = await acceptAnswer(ctx, db, approval, {
    approver,
    decision,
    number,
    proof: isRight ? receiptOf(ctx, deciding, user) : null,
    device: call.device.id,
    actor,
  })
  if (!settled) throw tooLate()
  if (isRight && decision === 'approve') await forgetAsked(db, approval, approver.userId)
  const block = decision === 'report' ? await afterReport(ctx, db, { approval, approver, actor }) : undefined
  const { state, reason } = settled
  return { id: approval.id, state, ...(reason !== null && { reason }), ...(block !== undefined && { block }) }
}

function receiptOf(
  ctx: ServiceContext,
  { approval, approver, call, answer, key, pinResult }: Deciding,
  user: UserRow,
): Proof {
  const { device } = call
  return signReceipt(key, answer.proof, {
    iss: ctx.serviceId,
    iat: ctx.clock.now(),
    approval: approval.id,
    domain: approval.domainId,
    user: { id: user.id, username: user.username },
    decision: answer.claims.decision,
    shownBy: 'device',
    device: device.id,
    key: { kty: 'EC', crv: 'P-256', x: device.keyX, y: device.keyY },
    numberMatched: answer.claims.decision === 'approve' && approver.number !== null,
    pinVerified: pinResult === 'right',
  })
}

/** A lost answer can be repeated with the same result. A different answer is too late. */
function repeated(
  { clock }: ServiceContext,
  approval: ApprovalRow,
  approver: ApproverRow,
  { claims, number }: DeviceAnswer,
): ApprovalAnswered {
  const expected: ApprovalDecision | null = approver.decision
  const typed = approver.number === null ? null : number
  if (expected !== claims.decision || approver.answeredNumber !== typed) throw tooLate()
  const { id, state, reason } = approvalAtTime(approval, clock.now())
  return { id, state, ...(reason !== null && { reason }) }
}

const wrongProof = () =>
  new ApiProblem(
    'api.error.invalid.proof',
    'proof: expected the signature of this device over the content of this approval.',
  )

const tooLate = () => new ApiProblem('api.error.conflict.state')

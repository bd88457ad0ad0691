import { createHash } from 'node:crypto'

import type { ApprovalContent } from '../../contract/approval-content.ts'
import { Approval } from '../../contract/approvals.ts'
import { check } from './proof-error.ts'
import type { ProofOptions } from './receipt.ts'
import type { VerifiedProof } from './verify-proof.ts'
import { verifyProof } from './verify-proof.ts'

/** An approval by as many people as it needed. */
export interface VerifiedApproval {
  /** The id of the approval. */
  readonly approval: string
  readonly content: ApprovalContent
  /** SHA-256 of the content as it was signed, hexadecimal. */
  readonly digest: string
  /** When the last of the people who were needed approved, Unix time, seconds. */
  readonly at: number
  /** All answers, by time: those of people who did not approve, too. */
  readonly answers: readonly VerifiedProof[]
}

/**
 * Verifies a whole approval, as the service returns and exports it: that as many different people as its content requires have approved
 * this content, and that the requester is none of them. Nothing else in the approval is believed; one that does not say that it is approved is
 * refused, though.
 *
 * @throws {ProofError} that says which check failed, also where too few people have approved.
 * @throws {TypeError} when an option is missing or wrong.
 */
export function verifyApproval(approval: Approval, options: ProofOptions): VerifiedApproval {
  const parsed = Approval.safeParse(approval)
  check(parsed.success, 'approval.malformed')
  // Not signed: an answer of a person who left does not count for the service, which the proofs alone cannot say.
  check(parsed.data.state === 'approved', 'approval.state')
  const answers = verifyAnswers(parsed.data, options)
  const approved = answers.filter(({ decision }) => decision === 'approve')
  const [first] = approved
  check(first !== undefined, 'approval.count')
  const { content, digest } = first
  check(approved.length >= content.needed, 'approval.count')
  check(!isOneOfThem(content, approved), 'approval.requester')
  const at = approved[content.needed - 1]?.at ?? first.at
  return { approval: first.approval, content, digest, at, answers }
}

/** Verifies that each answer is about this approval and of another person. @returns them by time. */
export function verifyAnswers(
  { id, content, digest, approvers }: Approval,
  options: ProofOptions,
): readonly VerifiedProof[] {
  check(createHash('sha256').update(content).digest('hex') === digest, 'approval.answer')
  const answers = approvers.flatMap(({ user, decision, proof }) => {
    if (!proof) return []
    const verified = verifyProof(proof, options)
    const isOfPerson = verified.user.id === user.id && (decision === undefined || verified.decision === decision)
    check(isOfPerson && verified.approval === id && verified.digest === digest, 'approval.answer')
    return [verified]
  })
  check(new Set(answers.map(({ user }) => user.id)).size === answers.length, 'approval.duplicate')
  return answers.sort((one, other) => one.at - other.at)
}

/** One of several people who approve is never the one who asks. */
function isOneOfThem({ requester, needed }: ApprovalContent, approved: readonly VerifiedProof[]): boolean {
  if (requester.kind === 'self') return needed > 1
  if (requester.kind !== 'user') return false
  return approved.some(({ user: { id } }) => id === requester.id)
}

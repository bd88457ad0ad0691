import type { Action } from '../../challenge/approval.ts'
import { contentOf } from '../../challenge/approval.ts'
import type { Proof } from '../../contract/approvals.ts'
import type { Approval } from '../../contract/approvals.ts'
import type { HttpRequest } from '../framework/http-request.ts'

/** An approval that was given, and is used up by this request. */
export interface GrantedApproval extends Action {
  /** The service's id: the same action cannot run twice with it, so an app can use it as its idempotency key. */
  readonly id: string
  /** Unix time, seconds. */
  readonly at: number
  /** What proves it later, offline, by `verifyProof()`. */
  readonly proof: Proof | undefined
}

/** @param now Unix time, seconds. */
export function grantedApproval(approval: Approval, now: number): GrantedApproval {
  const { title, details } = contentOf(approval)
  const [approver] = approval.approvers
  return Object.freeze({ id: approval.id, at: approval.settledAt ?? now, title, details, proof: approver?.proof })
}

/** The approval that each request has used up. Requests without one cost nothing. */
const granted = new WeakMap<HttpRequest, GrantedApproval>()

export const setGranted = (req: HttpRequest, approval: GrantedApproval): void => void granted.set(req, approval)

export const grantedOf = (req: HttpRequest): GrantedApproval | undefined => granted.get(req)

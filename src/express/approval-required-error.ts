import type { Refusal, RefusedApproval } from './approvals/answer.ts'

/** What `req.mfa.approve()` throws while an action is not approved. GraphQL passes `extensions` on to the caller. */
export class ApprovalRequiredError extends Error {
  override readonly name = 'ApprovalRequiredError'
  /** Express answers with it where the app does not. */
  readonly status = 403
  /** What `requireApproval()` sends to scripts. */
  readonly body: Refusal
  /** The approval that is waited for; undefined where nobody was asked, and where it was denied. */
  readonly approval: RefusedApproval | undefined
  readonly extensions: {
    readonly code: 'APPROVAL_REQUIRED' | 'APPROVAL_DENIED' | 'APPROVAL_UNAVAILABLE'
    readonly approval: RefusedApproval | undefined
  }

  constructor(body: Refusal) {
    super(`req.mfa.approve(): ${body.message}`)
    this.body = body
    this.approval = body.approval
    this.extensions = { code: codes[body.error], approval: body.approval }
  }
}

const codes = {
  approval_required: 'APPROVAL_REQUIRED',
  approval_denied: 'APPROVAL_DENIED',
  approval_unavailable: 'APPROVAL_UNAVAILABLE',
} as const

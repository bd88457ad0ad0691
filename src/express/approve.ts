import { asCaller } from '../challenge/attribution.ts'
import { userKeyOf } from '../challenge/user.ts'
import { ApprovalRequiredError } from './approval-required-error.ts'
import type { ActionToApprove } from './approvals/action.ts'
import { readAction } from './approvals/action.ts'
import { refusalBody } from './approvals/answer.ts'
import { boundValue } from './approvals/bound.ts'
import { decide } from './approvals/decide.ts'
import type { Decision, Question } from './approvals/decide.ts'
import { applyEffects } from './apply.ts'
import type { FrameworkRequest } from './framework/request.ts'
import type { FrameworkResponse } from './framework/response.ts'
import type { RequestContext } from './request/context.ts'
import type { GrantedApproval } from './request/granted-approval.ts'
import { setGranted } from './request/granted-approval.ts'
import { createWebRequest } from './request/web-request.ts'
import type { WebRequest } from './request/web-request.ts'
import { troubleError } from './trouble-error.ts'
import { verifiedMfa } from './verified-mfa.ts'

/** What a handler asks its user to approve. */
export interface ApprovalToAsk extends ActionToApprove {
  /** Everything that the action depends on beside its title and details: plain data, such as ids and digests. */
  readonly bind: unknown
}

interface Handling {
  readonly req: FrameworkRequest
  readonly res: FrameworkResponse
  readonly context: RequestContext
}

/** Implements `req.mfa.approve()`: resolves with an approval that this call has used up. */
export async function approve(handling: Handling, asked: ApprovalToAsk): Promise<GrantedApproval> {
  const { req, context } = handling
  if (asked.bind === undefined) {
    throw new TypeError(
      'req.mfa.approve(): bind is missing: everything that the action depends on, such as { iban, amount }',
    )
  }
  const { bind, ...shown } = asked
  const action = readAction('req.mfa.approve', shown)
  verifiedMfa(req)
  const { user } = context
  if (!user) throw new Error('req.mfa.approve(): no user is signed in')
  const request = createWebRequest(req, context, user)
  const decision = await decided(handling, request, { action, bound: boundValue(bind, action) })
  if (decision.kind !== 'approved') throw new ApprovalRequiredError(refusalBody(request, decision).body)
  setGranted(req, decision.granted)
  return decision.granted
}

/** @throws {Error} with status 503, when nothing could be decided. */
async function decided({ req, res, context }: Handling, request: WebRequest, question: Question): Promise<Decision> {
  try {
    const decision = await asCaller(userKeyOf(request.user), () => decide(request, question, false))
    await applyEffects(req, res, context, decision.effects)
    return decision
  } catch (error) {
    throw await troubleError({ req, res, context }, error)
  }
}

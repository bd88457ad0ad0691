import { asCaller } from '../challenge/service-calls.ts'
import type { MfaUser } from '../challenge/user.ts'
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
import { resolveAppUser } from './request/app-user.ts'
import type { RequestContext } from './request/context.ts'
import { passesInEmergency } from './request/emergency.ts'
import { requirementOf } from './request/required.ts'
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
  const { user } = context
  await checkSecondStep(handling)
  if (!user) throw new Error('req.mfa.approve(): no user is signed in')
  const request = createWebRequest(req, context, user)
  const decision = await decided(handling, request, { action, bound: boundValue(bind, action) })
  if (decision.kind !== 'approved') throw new ApprovalRequiredError(refusalBody(request, decision).body)
  setGranted(req, decision.granted)
  return decision.granted
}

/**
 * As for `requireApproval()`, the second step is not asked for in an emergency, nor of users who never need it. The approval always is.
 *
 * @throws {MfaRequiredError} for all other users who have not passed.
 */
async function checkSecondStep({ req, context }: Handling): Promise<void> {
  try {
    verifiedMfa(req)
  } catch (error) {
    // A login within this request may have signed another user in.
    const current = await resolveAppUser(req, context.mfa.options, context.user)
    const isSame = current !== undefined && userKeyOf(current) === context.userKey
    if (!isSame || !(await isExempt({ req, context }, current))) throw error
  }
}

const isExempt = async (request: Pick<Handling, 'req' | 'context'>, user: MfaUser): Promise<boolean> =>
  passesInEmergency(request) || (await requirementOf(request, user)) === 'never'

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

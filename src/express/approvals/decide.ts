import { hash } from 'node:crypto'

import type { Action, NotAsked } from '../../challenge/approval.ts'
import { askToApprove, byOurClock, endOfApproval, readApproval, redeemApproval } from '../../challenge/approval.ts'
import { aheadOf } from '../../challenge/challenge.ts'
import type { ConnectedService } from '../../challenge/service.ts'
import { userKeyOf } from '../../challenge/user.ts'
import { approvalRedeemableFor } from '../../contract/approvals.ts'
import type { Approval } from '../../contract/approvals.ts'
import { SetupError } from '../../service-handle.ts'
import type { EventFacts } from '../options/mfa-event.ts'
import { withFormToken } from '../request/form.ts'
import type { Effects } from '../request/outcome.ts'
import type { WebRequest } from '../request/web-request.ts'
import { bindBrowser, bindingOf } from '../session/id-cookie.ts'
import { withApproval, withoutApproval } from '../session/open-approvals.ts'
import type { OpenApproval } from '../session/open-approvals.ts'
import type { Bound } from './bound.ts'
import { challengeFor } from './bound.ts'
import type { GrantedApproval } from '../request/granted-approval.ts'
import { grantedApproval } from '../request/granted-approval.ts'
import { forgetStart, startOnce } from './start-once.ts'
import type { Started } from './start-once.ts'

/** What has to be approved before a request goes on. */
export interface Question {
  readonly action: Action
  readonly bound: Bound
  /** Seconds. */
  readonly expiresIn?: number | undefined
}

/** How an approval ended, or that it was used up a moment ago. */
export type End = ReturnType<typeof endOfApproval> | { readonly state: 'used'; readonly reason: undefined }

/** Whether the request goes on. The effects are applied in each case, before anything else. */
export type Decision = { readonly effects: Effects } & (
  | { readonly kind: 'approved'; readonly granted: GrantedApproval }
  | { readonly kind: 'waiting'; readonly approval: Approval; readonly token: string }
  | { readonly kind: 'ended'; readonly id: string; readonly end: NonNullable<End>; readonly action: Action }
  | { readonly kind: 'not_asked'; readonly notAsked: NotAsked; readonly action: Action }
)

/**
 * Looks for the approval of exactly this action, request, user and browser, and uses it up; otherwise asks for one. Only the service
 * says whether it was given, and it redeems it once, so of several requests at once one goes on.
 *
 * @param isPage Whether a page sends the request again by itself. Several tabs can wait for one approval: they are told how it ended
 * until the user asks again.
 */
export async function decide(request: WebRequest, question: Question, isPage: boolean): Promise<Decision> {
  const service = await request.context.mfa.connect()
  if (!service.asksForApprovals) throw new SetupError('requireApproval() needs a service that speaks version 1.4')
  const open = findOpen(request, question.bound)
  const approval = open && (await readApproval(service, open))
  if (!open || !approval) return ask(request, service, question)
  if (approval.state === 'pending') return waiting(request, approval)
  forgetStart(open.id)
  const end = endOfApproval(approval)
  if (end) return ended(request, { open, question, isPage }, end)
  const now = request.context.mfa.options.clock.now()
  const redeemed = approval.redeemedAt === undefined && (await redeemApproval(service, open.id, open.challenge))
  if (redeemed) return approved(redeemed, now)
  // Used up before, by another request at the same moment, or too old by now.
  const { redeemedAt } = (await readApproval(service, open)) ?? approval
  if (redeemedAt === undefined && isPage) return ended(request, { open, question, isPage }, tooLate)
  if (redeemedAt !== undefined && (isPage || now - redeemedAt < momentAgo)) {
    return ended(request, { open, question, isPage }, used)
  }
  return ask(request, service, question, open)
}

const used = { state: 'used', reason: undefined } as const
const tooLate = { state: 'expired', reason: undefined } as const

/** A script whose call was sent twice must not ask for the same action again; seconds. */
const momentAgo = 10

/** The newest one first: the same action may have been approved before. */
function findOpen({ state, req, context, user }: WebRequest, bound: Bound): OpenApproval | undefined {
  const now = context.mfa.options.clock.now()
  const binding = bindingOf(req, context)
  const userKey = userKeyOf(user)
  if (binding === undefined) return undefined
  return state.approvals?.findLast(
    (open) => open.until > now && open.challenge === challengeFor({ nonce: open.nonce, userKey, binding }, bound),
  )
}

function approved(approval: Approval, now: number): Decision {
  const events = [{ type: 'approval.approved', approvalId: approval.id } as const]
  return { kind: 'approved', granted: grantedApproval(approval, now), effects: { state: 'as-is', events } }
}

function waiting(request: WebRequest, approval: Approval): Decision {
  const { token, state } = withFormToken(request)
  const effects: Effects = { state: state === request.state ? 'as-is' : { save: state } }
  return { kind: 'waiting', approval, token, effects }
}

interface Ending {
  readonly open: OpenApproval
  readonly question: Question
  readonly isPage: boolean
}

/** Scripts are told once, and their next request asks again. */
function ended({ state }: WebRequest, { open, question, isPage }: Ending, end: NonNullable<End>): Decision {
  const { id } = open
  const shown = { kind: 'ended', id, end, action: question.action } as const
  if (isPage && open.ended) return { ...shown, effects: { state: 'as-is' } }
  const approvals = isPage
    ? state.approvals?.map((each) => (each.id === id ? { ...each, ended: true as const } : each))
    : withoutApproval(state.approvals, id)
  return {
    ...shown,
    effects: { state: { save: { ...state, approvals } }, events: open.ended ? [] : eventsOfEnd(id, end) },
  }
}

function eventsOfEnd(approvalId: string, { state, reason }: NonNullable<End>): readonly EventFacts[] {
  if (state === 'used') return []
  return state === 'denied'
    ? [{ type: 'approval.denied', approvalId, reason: reason ?? 'user_denied' }]
    : [{ type: `approval.${state}`, approvalId }]
}

/** @param replaced An approval that is worth nothing anymore. */
async function ask(
  request: WebRequest,
  service: ConnectedService,
  question: Question,
  replaced?: OpenApproval,
): Promise<Decision> {
  const { req, context, user } = request
  const { clock, random } = context.mfa.options
  const { action, bound } = question
  const { binding, cookies } = bindBrowser(req, context, random)
  const name = hash('sha256', JSON.stringify([userKeyOf(user), binding, bound]), 'base64url')
  const asked = await startOnce(name, clock, () => askNow(request, service, question, binding))
  const { notAsked } = asked
  if (notAsked) {
    const events = [{ type: 'approval.not_asked', reason: notAsked.kind } as const]
    return { kind: 'not_asked', notAsked, action, effects: { state: 'as-is', cookies, events } }
  }
  const { open, approval, isFirst } = asked
  const { token, state } = withFormToken(request)
  const others = replaced ? withoutApproval(state.approvals, replaced.id) : state.approvals
  const save = { ...state, approvals: withApproval(others, open, clock.now()) }
  const events = isFirst ? [{ type: 'approval.requested', approvalId: open.id } as const] : []
  return { kind: 'waiting', approval, token, effects: { state: { save }, cookies, events } }
}

async function askNow(
  { context, user }: WebRequest,
  service: ConnectedService,
  { action, bound, expiresIn }: Question,
  binding: string,
): Promise<Started> {
  const { clock, random } = context.mfa.options
  const userKey = userKeyOf(user)
  const nonce = Buffer.from(random(16)).toString('base64url')
  const challenge = challengeFor({ nonce, userKey, binding }, bound)
  const now = clock.now()
  const asked = await askToApprove(service, { user, ...action, challenge, expiresIn }, now)
  if ('notAsked' in asked) return asked
  const serviceAhead = aheadOf(asked.approval.createdAt, now)
  const approval = byOurClock(asked.approval, serviceAhead)
  const { id, expiresAt } = approval
  const until = expiresAt + approvalRedeemableFor
  return { approval, open: { id, nonce, challenge, userKey, binding, until, serviceAhead } }
}
